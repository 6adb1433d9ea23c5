"""Record what a system of record holds now, so that state_change can compare it later.

For example:
  hotato state snapshot --state crm.yaml --assertions assertions.yaml --out before.json
  hotato state snapshot --state crm.yaml --resource orders --filter id=A-1 --out before.json
  hotato state snapshot --state crm.yaml --out before.json

Which records: those that the state_change assertions of a document ask for, the one that --resource and --filter name,
and those that the config lists under `record`. Take one before the call, name it in the config
(`snapshots: {before: before.json}`), and judge after the call; what is there "after" is read from the system then, or
from a second snapshot. The file holds the records as they are. A record that cannot be read is told, and then no file is
written.

Exit codes: 0 recorded, 1 a record could not be read, 2 refused (a file, a flag, the config), 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from hotato.cli._calls import many
from hotato.cli._out import complain, finish
from hotato.cli._parser import CommandError, Parser
from hotato.cli._state import declare, filters

_PROG = "hotato state snapshot"


def configure(parser: Parser) -> None:
    """Declare flags."""
    declare(parser)
    said = "a document; every record that its state_change assertions ask for is recorded"
    parser.value("--assertions", "FILE", said, completes="document")
    parser.value("--out", "FILE", "the snapshot file to write", completes="file", required=True)
    parser.switch("--force", "overwrite a file that is there")
    parser.formats()


def main(args: Namespace) -> int:
    """Read every record, then write the file."""
    if args.resource is None and args.filter:
        raise CommandError(_PROG, "--filter", "means nothing without --resource")
    if args.out == "-":
        raise CommandError(_PROG, "--out", "names a file: a snapshot holds records as they are")
    from hotato.cli._reports import apart
    from hotato.context.files import write_text
    from hotato.errors import StateAdapterError
    from hotato.state.load import described
    from hotato.state.snapshot import snapshot_text, take

    apart(_PROG, [("--out", args.out)], [("--state", args.state), ("--assertions", args.assertions)])
    found = described(args.state, recorded=False)
    base = getattr(found.config, "sqlite_path", None)
    if base is not None:
        apart(_PROG, [("--out", args.out)], [("sqlite_path", os.path.join(os.path.dirname(args.state), base))])
    wanted = [*_of_flags(args), *_of_config(found.config), *_of_document(args.assertions)]
    if not wanted:
        raise CommandError(_PROG, "", "nothing to record: give --assertions, --resource, or 'record' in the config")
    try:
        records = take(found.adapter, wanted)
    except StateAdapterError as error:
        return _failed(str(error), args.format)
    write_text(args.out, snapshot_text(records), overwrite=bool(args.force))
    if args.format == "json":
        from hotato.model.codec import encode

        told = {"ok": True, "out": args.out, "records": len(records), "exit_code": 0}
        return finish(encode(told, indent=2) + "\n", 0)
    from hotato.plan.text import safe

    return finish(safe(f"{args.out}: {many(len(records), 'record')}") + "\n", 0)


def _failed(cause: str, form: str) -> int:
    if form == "json":
        from hotato.model.codec import encode

        return finish(encode({"ok": False, "cause": cause, "exit_code": 1}, indent=2) + "\n", 1)
    from hotato.plan.text import safe

    complain(safe(cause) + "\n")
    return 1


def _of_flags(args: Namespace) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if args.resource is not None:
        yield args.resource, filters(args.filter or (), _PROG)


def _of_config(config: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, resource in getattr(config, "resources", {}).items():
        for one in resource.record:
            yield name, one


def _of_document(path: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if path is None:
        return
    from hotato.context.files import MOST_CONFIG, read_text
    from hotato.document.load import load
    from hotato.document.reading import scan
    from hotato.errors import DocumentError
    from hotato.kinds.state_change import StateChange
    from hotato.plan.resources import Resources

    folder = os.path.dirname(path)

    def beside(name: str) -> str:
        return read_text(os.path.join(folder, name), most=MOST_CONFIG, error=DocumentError)

    text = read_text(path, most=MOST_CONFIG, error=DocumentError)
    for spec in load(scan(text, path), Resources(beside), (), path).specs:
        if isinstance(spec, StateChange):
            yield spec.resource, spec.filters

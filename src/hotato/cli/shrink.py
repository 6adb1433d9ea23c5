"""Reduce a failing call to the least of it that still fails the same way.

For example:
  hotato shrink --assertions assertions.yaml --call end-of-call-report.json --id refund-claims-are-true
  hotato shrink --assertions assertions.yaml --transcript said.json --trace done.jsonl --id no-refund --out small
  hotato shrink --pack pii-leak --transcript transcript.json --id pii-leak.card --format json

Turns and spans are left out while the assertion of --id fails with the same code; then fields of the spans, while its
result stays the same to the letter. Printed is which turns and spans remain, not what they hold. DIR gets
transcript.json, voice_trace.jsonl and, where records were read, state.json with these alone, for `hotato assert run`;
what they hold is judged again before it is written. They hold what was said and passed, as the call does.

Exit codes: 0 shrunk, 2 refused (a file, a flag, an assertion that does not fail on this call), 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.cli import _given
from hotato.cli._calls import many
from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.probe.shrink import Shrunk

_PROG = "hotato shrink"
_MOST_LISTED = 20


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.value("--id", "ID", "the assertion that fails", required=True)
    _given.declare(parser)
    said = "write the call that remains to this folder, made where it is missing"
    parser.value("--out", "DIR", said, completes="folder")
    parser.switch("--force", "overwrite files that are there already")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Shrink one call."""
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.probe.shrink import shrink
    from hotato.probe.shrink_files import files
    from hotato.state.mock import MockStateAdapter

    _given.check(args, _PROG)
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    plan, call = _given.plan_and_call(args, _PROG)
    _known(args.id, [node.id for node in plan.nodes])
    found = shrink(plan, call, args.id)
    texts = files(plan, found, MockStateAdapter)
    report = _report(args, found, texts)
    if args.out is not None:
        _write(args, texts)
    if args.format == "json":
        emit(encode(report, indent=2) + "\n")
    else:
        emit("".join(f"{safe(line)}\n" for line in _lines(report, found)))
    return 0


def _known(name: str, ids: Sequence[str]) -> None:
    if name not in ids:
        from hotato.document.guess import Guesser

        raise CommandError(_PROG, "--id", f"no assertion has the id '{name}'", Guesser().nearest(name, ids))


def _report(args: Namespace, found: Shrunk, texts: Mapping[str, str]) -> dict[str, Any]:
    result = found.result
    written = [] if args.out is None else [os.path.join(args.out, name) for name in texts]
    return {
        "ok": True,
        "schema": "hotato.shrink.v1",
        **{name: result[name] for name in ("id", "kind", "status", "code", "reason")},
        "turns": None if found.of_turns is None else {"before": found.of_turns, "kept": list(found.turns)},
        "spans": None if found.of_spans is None else {"before": found.of_spans, "kept": list(found.spans)},
        "fields": {"before": found.of_fields, "after": found.fields},
        "tries": found.tries,
        "least": found.is_least,
        "written": written,
    }


def _lines(report: Mapping[str, Any], found: Shrunk) -> list[str]:
    lines = [f"{report['status']}  {report['id']}  {report['kind']}: {report['code']}", f"    {report['reason']}"]
    for noun, label in (("turn", ""), ("span", "s_")):
        part = report[f"{noun}s"]
        if part is not None:
            kept = [f"{label}{place}" for place in part["kept"]]
            more = len(kept) - _MOST_LISTED
            listed = ", ".join(kept[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
            lines.append(f"{len(kept)} of {many(part['before'], noun)}" + (f": {listed}" if kept else ""))
    if found.of_fields:
        lines.append(f"{found.fields} of {many(found.of_fields, 'field')} of what remains")
    if not found.is_least:
        lines.append(f"given up after {many(found.tries, 'try')}: less might do".replace("trys", "tries"))
    return lines + [f"wrote {path}" for path in report["written"]]


def _write(args: Namespace, texts: Mapping[str, str]) -> None:
    """Write the files, all or none. Refuse to overwrite unless asked, and ever to write over what is read."""
    from hotato.context.folders import put_texts
    from hotato.errors import Problem, UsageError
    from hotato.probe.shrink_files import NAMES

    for name in NAMES:
        path = os.path.join(args.out, name)
        if not os.path.lexists(path):
            continue
        for flag, read in _given.inputs(args).items():
            if read != "-" and os.path.exists(path) and os.path.exists(read) and os.path.samefile(path, read):
                raise CommandError(_PROG, "--out", f"would write over the file of --{flag}: {path}")
        if name not in texts:
            said = "is of another call, and this one has none; remove it or choose another folder"
            raise UsageError(Problem(code="file_exists", file=path, message=said))
    put_texts(args.out, texts, overwrite=bool(args.force))

"""One file of telemetry with many calls as a folder of traces: all of it or nothing."""

from __future__ import annotations

import os
import re
import shutil
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hotato.cli._calls import vouched
from hotato.context.writing import sweep, temporary_name, unwritable
from hotato.errors import EvidenceError, Problem, UsageError

REST = "other.jsonl"
_NAME = re.compile(r"(call-[0-9]{5,}|other)\.jsonl")


def split(args: Namespace, told: Mapping[str, Any]) -> dict[str, Any]:
    """Write a trace for each call to the folder `args.out` and return the report. Raise UsageError; then nothing is written.

    `told` is what `records` is told of every call. Files are numbered, since a call's id may not be shown; what belongs to
    no call is in a file of its own.
    """
    _check(args.out, bool(args.force))
    folder = os.path.normpath(args.out)
    temporary = temporary_name(folder)
    sweep(folder)
    try:
        os.mkdir(temporary)
        try:
            report = _write(args, told, temporary)
            _move(temporary, args.out, [one["file"] for one in report["files"]])
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as cause:
        raise unwritable(args.out, cause) from None
    return report


def _check(folder: str, is_forced: bool) -> None:
    """Refuse a folder that holds anything unless forced, and what is no folder."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(Problem(code="file_kind", file=folder, message="not a folder, as --split-by needs"))
    if os.path.isdir(folder) and os.listdir(folder) and not is_forced:
        said = "holds files already; --force writes beside them and over those of the same name"
        raise UsageError(Problem(code="file_exists", file=folder, message=said))


def _write(args: Namespace, told: Mapping[str, Any], folder: str) -> dict[str, Any]:
    from hotato.importers._ingest import lines, records
    from hotato.importers._split import split_trace

    notes: Counter[str] = Counter()
    files: list[dict[str, Any]] = []
    number = 0
    for call_id, imported in split_trace(args.otel, args.split_by):
        if call_id is None and not imported.spans:
            continue
        if args.capture_complete:
            vouched(imported)
        number += call_id is not None
        name = REST if call_id is None else f"call-{number:05}.jsonl"
        made = records(imported, **told)
        if args.mask:
            from hotato.cli._masking import masked_records

            made = masked_records(made)
        with open(os.path.join(folder, name), "x", encoding="utf-8", newline="\n") as stream:
            stream.writelines(lines(made))
        read = made[0]["source"].get("input_span_count", len(made) - 1)
        files.append({"file": name, "spans_read": read, "spans_written": len(made) - 1})
        notes.update({note.code: note.count for note in imported.notes})
    if not number:
        said = f"no span has {args.split_by}, so there are no calls to write"
        raise EvidenceError(Problem(code="import", file=args.otel, message=said))
    files.sort(key=lambda one: str(one["file"]))
    return {"folder": args.out, "calls": number, "files": files, "notes": dict(sorted(notes.items()))}


def _move(temporary: str, folder: str, names: list[str]) -> None:
    """Put the files in their place. Raise UsageError where the folder holds traces of another split."""
    os.makedirs(folder, exist_ok=True)
    stale = sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name) and name not in names)
    if stale:
        said = "is of another file's calls; remove it or choose another folder"
        raise UsageError(Problem(code="file_exists", file=os.path.join(folder, name), message=said) for name in stale)
    for name in names:
        os.replace(os.path.join(temporary, name), os.path.join(folder, name))

"""From a file of telemetry to `voice_trace.jsonl`: the meta line, then one span a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from hotato.importers import read_file
from hotato.importers._importer import Imported, Options
from hotato.importers._redact import redacted
from hotato.model import codec

SCHEMA = "hotato.voice_trace.v1"
FORMATS = ("bridge", "jaeger", "langfuse", "otel_console", "otlp", "zipkin")


def ingest_trace(
    path: Any,
    *,
    stack: str | None = None,
    call_id: str | None = None,
    agent_id: str | None = None,
    git_sha: str | None = None,
    config_hash: str | None = None,
    include_identifiers: bool = False,
    include_text: bool = False,
    format: str | None = None,  # noqa: A002
    options: Options | None = None,
) -> list[dict[str, Any]]:
    """Return the records of a voice trace, the meta line first, of any file of telemetry that is known.

    `stack`, `git_sha` and `config_hash` say what was deployed; `call_id` and `agent_id` are kept only with
    `include_identifiers`, partial transcripts and messages only with `include_text`. `options.call_id` chooses one call of
    a file that holds several. Raise EvidenceError where the file cannot be read.
    """
    imported = read_file(path, format, options, None if format else FORMATS)
    return records(
        imported,
        stack=stack,
        call_id=call_id,
        agent_id=agent_id,
        git_sha=git_sha,
        config_hash=config_hash,
        include_identifiers=include_identifiers,
        include_text=include_text,
    )


def records(
    imported: Imported,
    *,
    stack: str | None = None,
    call_id: str | None = None,
    agent_id: str | None = None,
    git_sha: str | None = None,
    config_hash: str | None = None,
    include_identifiers: bool = False,
    include_text: bool = False,
) -> list[dict[str, Any]]:
    """Return the records of a voice trace of what an importer gave. What is not told is taken from the source."""
    before = imported.meta
    deployed = before.get("deployment")
    known: dict[str, Any] = deployed if type(deployed) is dict else {}
    source = before.get("source")
    kept = include_identifiers
    deployment = {
        **known,
        "stack": stack or imported.stack or "generic",
        "agent_id": (agent_id or imported.agent_id) if kept else None,
        "git_sha": git_sha or known.get("git_sha"),
        "config_hash": config_hash or known.get("config_hash"),
    }
    told = {"format": imported.format, **(source if type(source) is dict else {})}
    told["captures"] = dict(sorted(imported.captures.items()))
    told["notes"] = [msgspec.to_builtins(note) for note in imported.notes]
    meta = {
        **before,
        "schema": SCHEMA,
        "_meta": True,
        "call_id": (call_id or imported.call_id) if kept else None,
        "deployment": _ordered(deployment, ("stack", "agent_id", "git_sha", "config_hash")),
        "source": _ordered(told, ("format", "input_span_count", "captures", "notes")),
    }
    meta = _ordered(meta, ("schema", "_meta", "call_id", "deployment", "source"))
    return [meta, *(redacted(span, identifiers=kept, text=include_text) for span in imported.spans or [])]


def _ordered(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    first = {name: fields[name] for name in names if name in fields}
    return {**first, **fields, **first}


def to_jsonl(records: Iterable[dict[str, Any]]) -> str:
    """Return records as JSON Lines."""
    return "".join(lines(records))


def lines(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the line of each record, for files that are written piece by piece."""
    for record in records:
        yield codec.encode(record) + "\n"

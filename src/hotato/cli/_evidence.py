"""The evidence of a run from the files that the command line names: hotato's own, or what another system wrote.

Importers are imported only where a file is not one of hotato's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hotato.cli._calls import OWN, in_terms_of, read
from hotato.context.build import build_context
from hotato.context.files import encoding_problem, read_bytes
from hotato.context.trace import SCHEMA, read_trace
from hotato.context.transcript import read_transcript
from hotato.errors import EvidenceError, Problem
from hotato.match.spans import DTMF, ENDINGS, HANDOFF, HTTP_EXCHANGE, TOOL_CALL
from hotato.match.text import PARTIES, fold_role
from hotato.model.call import Call, Turn

if TYPE_CHECKING:
    from hotato.importers._importer import Options

_SIMULATED = re.compile(rb'\s*\{\s*"origin"\s*:\s*"simulated"\s*,')
TELEMETRY = ("jaeger", "langfuse", "otel_console", "otlp", "zipkin")
_TYPES = frozenset(
    (TOOL_CALL, HTTP_EXCHANGE, HANDOFF, DTMF, *ENDINGS, "asr_partial", "caller_audio_active", "agent_audio_active")
)


def call(path: str, name: str | None, options: Options, *, capture_complete: bool = False) -> Call:
    """Return the call that a file of any format holds; `name` is its format where the user says it. Raise EvidenceError."""
    from hotato.importers._call import call_of

    imported = read(path, read_bytes(path, error=EvidenceError), name, options, "--call-format")
    return call_of(imported, capture_complete=capture_complete, file=path)


def any_call(path: str, name: str | None, options: Options) -> Call:
    """Return the call of a file that may be a transcript, a trace, or of any other format. Raise EvidenceError.

    hotato's own files are read as judging reads them, so that what their meta line says of the source is told as well.
    """
    from hotato import importers
    from hotato.importers._call import call_of

    raw = read_bytes(path, error=EvidenceError)
    told = name or importers.format_of(path, raw)
    if told == "bridge":
        return _trace(path, raw)
    try:
        imported = read(path, raw, told or None, options, "--call-format")
    except EvidenceError as unknown:
        if told or unknown.problems[0].code != "format_unknown":
            raise
        try:
            return _transcript(path, raw, options)
        except EvidenceError:
            raise unknown from None
    if told in OWN and imported.spans is None:
        return _transcript(path, raw, options)
    return call_of(imported, file=path)


def together(whole: Call, parts: Sequence[Call | None]) -> str:
    """Give a call the evidence of its parts; return the source (`transcript`, `trace`) that two parts hold, else nothing."""
    audit: dict[str, Any] = {}
    for part in filter(None, parts):
        for source in ("transcript", "trace"):
            if source in audit and source in part.audit:
                return source
        audit.update(part.audit)
        if part.transcript is not None:
            whole.transcript = part.transcript
        if part.spans is not None:
            whole.spans, whole.captures = part.spans, part.captures
    whole.audit = audit
    return ""


def transcript(path: str, options: Options | None = None) -> Call:
    """Return a call of a transcript alone: hotato's own, or one of a speech-to-text format. Raise EvidenceError.

    `options` is what the user says of it, None where nothing.
    """
    return _transcript(path, read_bytes(path, error=EvidenceError), options)


def _transcript(path: str, raw: bytes, options: Options | None) -> Call:
    turns: tuple[Turn, ...] | None = None
    try:
        turns = read_transcript(raw.decode("utf-8").removeprefix("\ufeff"), path)
    except UnicodeDecodeError as cause:
        refused = EvidenceError(encoding_problem(raw, cause, path))
    except EvidenceError as error:
        refused = error
    if turns is None:
        return _foreign(path, raw, options, refused)
    roles = {fold_role(label): fold_role(role) for label, role in (options.roles if options else {}).items()}
    heard = {turn.role for turn in turns}
    if not turns or (heard.intersection(PARTIES) if not roles else heard.issuperset(roles)):
        return _own(path, raw, turns, roles, options)
    try:  # labels such as SPEAKER_00: the importer knows more of them, and tells what to do
        return _foreign(path, raw, options, None)
    except EvidenceError:
        return _own(path, raw, turns, roles, options)


def _own(path: str, raw: bytes, turns: Sequence[Turn], roles: dict[str, str], options: Options | None) -> Call:
    if options is not None and options.origin is not None:
        said = "hotato's own files count from the start of the call, so --origin says nothing of them"
        raise EvidenceError(Problem(code="value", file=path, message=said))
    unused = sorted(label for label in roles if label not in {turn.role for turn in turns})
    said = f"no speaker of the source is labelled as mapped ({', '.join(unused)})"
    notes = [{"code": "role_map_unused", "message": said, "count": len(unused)}] if unused else []
    mapped = [replace(t, role=roles.get(t.role, t.role)) for t in turns] if roles else list(turns)
    return build_context(transcript=mapped, sources={"transcript": {"notes": notes, **_origin(raw)}})


def _origin(raw: bytes) -> dict[str, str]:
    """Return the format of a transcript that hotato simulate wrote: what was simulated is told as such from there on."""
    return {"format": "simulated"} if _SIMULATED.match(raw) else {}


def _foreign(path: str, raw: bytes, options: Options | None, refused: EvidenceError | None) -> Call:
    """Return the call of a speech-to-text transcript; `refused` says why it is none of hotato's own."""
    from hotato import importers
    from hotato.importers._call import call_of

    speech = [name for name in importers.names() if "trace" not in importers.gives(name)]
    try:
        with in_terms_of("--call FILE --call-format"):
            return call_of(importers.read_raw(path, raw, None, options, speech), file=path)
    except EvidenceError as error:
        problem = error.problems[0]
        if refused is None or problem.code not in ("format_unknown", refused.problems[0].code):
            raise
    name = importers.format_of(path, raw)
    if name and name not in OWN:
        said = f"{name}, which holds more than a transcript; --call FILE reads it"
        if name in TELEMETRY:
            said = f"{name}, a trace; hotato trace ingest --otel FILE --out voice_trace.jsonl makes it one for --trace"
        raise EvidenceError(Problem(code="transcript", file=path, message=said))
    own = refused.problems[0]
    if own.code == "transcript":
        said = f"{own.message}; as a file of speech-to-text it is {problem.message}"
        raise EvidenceError(Problem(code=own.code, file=path, message=said))
    raise refused


def trace(path: str, *, capture_complete: bool = False) -> Call:
    """Return a call of a trace alone. Raise EvidenceError; where another system wrote the file, it says how it is read."""
    return _trace(path, read_bytes(path, error=EvidenceError), capture_complete=capture_complete)


def _trace(path: str, raw: bytes, *, capture_complete: bool = False) -> Call:
    refused: EvidenceError | None = None
    spans: Sequence[Any] = ()
    source: dict[str, Any] = {}
    try:
        spans, source = read_trace(raw.decode("utf-8").removeprefix("\ufeff"), path)
    except UnicodeDecodeError as cause:
        refused = EvidenceError(encoding_problem(raw, cause, path))
    except EvidenceError as error:
        refused = error
    # a log of events has types as well, and a check for calls in it would hold of nothing
    if refused is not None or (spans and not source and _TYPES.isdisjoint(span.type for span in spans)):
        refused = _as_foreign(path, raw, refused)
    if refused is not None:
        raise refused
    return build_context(spans=spans, sources={"trace": source}, capture_complete=capture_complete)


def _as_foreign(path: str, raw: bytes, refused: EvidenceError | None) -> EvidenceError | None:
    """Return what to tell of a file that may be another system's; `refused` is what is wrong with it as a trace."""
    from hotato import importers

    name = importers.format_of(path, raw) if raw.strip() else ""
    ingest = "hotato trace ingest --otel FILE --out voice_trace.jsonl"
    if name in TELEMETRY:
        said = f"{name}, not {SCHEMA}; {ingest} converts it"
    elif name and name not in OWN:
        flag = "--call" if "trace" in importers.gives(name) else "--transcript"
        said = f"{name}, not {SCHEMA}; {flag} FILE reads it"
    elif refused is not None and refused.problems[0].code == "trace" and raw.strip():
        own = refused.problems[0]
        said = f"{own.message}; {ingest} makes one of what OpenTelemetry writes"
        return EvidenceError(Problem(code="trace", file=path, line=own.line, column=own.column, message=said))
    else:
        return refused
    return EvidenceError(Problem(code="trace", file=path, message=said))

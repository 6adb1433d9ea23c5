"""Assemble the evidence of one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hotato.context.audit import audit
from hotato.context.trace import load_trace_file
from hotato.context.trace import spans as read_spans
from hotato.context.transcript import load_transcript_file
from hotato.context.transcript import turns as read_turns
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model import given
from hotato.model.call import Call, StateAdapter
from hotato.model.meta import CAPTURES
from hotato.model.near import nearest


def build_context(
    *,
    transcript: Any = None,
    transcript_path: Any = None,
    spans: Any = None,
    trace_path: Any = None,
    timing: Mapping[str, Any] | None = None,
    state_adapter: StateAdapter | None = None,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
    capture_complete: bool = False,
) -> Call:
    """Return the evidence of one call. What is not given stays None, which is not the same as empty.

    `transcript`: a list of `{role, text, start, end}` (seconds), or what a transcript file may hold; `transcript_path`:
    such a JSON file. `spans`: a list of span objects; `trace_path`: a `hotato.voice_trace.v1` JSONL file. `timing`: a
    scored run's envelope. `state_adapter`: an object with `query(resource, **filters)`. `sources`: what is known of
    where `transcript` and `trace` come from (`format`, `captures`, `notes`); a trace file's meta line says it too.
    `capture_complete` vouches that the trace's source records every kind of event, whatever it is known for.
    Raise UsageError (a ValueError) where an input is given both ways or is of another type, EvidenceError where one is
    malformed.
    """
    given.flag(capture_complete, "capture_complete")
    for name, value, path in (("transcript", transcript, transcript_path), ("spans", spans, trace_path)):
        if value is not None and path is not None:
            other = "transcript_path" if name == "transcript" else "trace_path"
            raise UsageError(
                Problem(code="both_given", file="build_context", message=f"give {name} or {other}, not both")
            )
    if timing is not None and not isinstance(timing, Mapping):
        raise EvidenceError(Problem(code="timing", file="timing", message="a timing envelope is a mapping"))
    if state_adapter is not None and not callable(getattr(state_adapter, "query", None)):
        said = "a state adapter has a method query(resource, **filters)"
        raise UsageError(Problem(code="state_adapter", file="build_context", message=said))
    known = {} if sources is None else _known(sources)
    if transcript_path is not None:
        transcript = load_transcript_file(transcript_path)
    elif transcript is not None:
        transcript = read_turns(transcript)
    if trace_path is not None:
        spans, source = load_trace_file(trace_path)
        known.setdefault("trace", source)
    elif spans is not None:
        spans = read_spans(spans)
    captures = {} if capture_complete or spans is None else dict(known.get("trace", {}).get("captures") or {})
    return Call(
        transcript=transcript,
        spans=spans,
        timing=timing,
        state_adapter=state_adapter,
        captures=captures,
        audit=audit(transcript, spans, known),
    )


def _known(sources: Any) -> dict[str, Mapping[str, Any]]:
    """Return what is known of the sources. Raise UsageError: what is misspelt in it would be lost, and a gap with it."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, source in _fields(sources, "sources", ("transcript", "trace")).items():
        path = f"sources.{name}"
        known = _fields(source, path, ("format", "captures", "notes"))
        if known.get("captures") is not None:
            for what, told in _fields(known["captures"], f"{path}.captures", CAPTURES).items():
                given.flag(told, f"{path}.captures.{what}")
        notes = known.get("notes")
        if notes is not None and not (
            isinstance(notes, (list, tuple)) and all(isinstance(note, Mapping) and "code" in note for note in notes)
        ):
            raise given.refused(notes, f"{path}.notes", "a list of {code, message, count}")
        found[name] = known
    return found


def _fields(value: Any, path: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    """Return a mapping that has no other fields than these. Raise UsageError."""
    fields: Mapping[str, Any] = given.typed(Mapping, value, path, f"a mapping of {', '.join(known)}")
    for name in fields:
        if name not in known:
            said = f"no such field; there is {', '.join(known)}"
            raise UsageError(
                Problem(
                    code="value",
                    file="build_context",
                    path=f"{path}.{name}",
                    message=said,
                    guess=nearest(str(name), known),
                )
            )
    return fields

"""LiveKit Agents: what its spans tell of speech, handoffs and the end of a call. Three generations of names are read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hotato.importers._clock import S
from hotato.importers._dialect_handoffs import Sign, of_span
from hotato.importers._notes import Lost
from hotato.importers._out import Out, of_raw
from hotato.importers._payload import joined, some
from hotato.importers._raw import Raw, Tree, is_true
from hotato.importers._roles import Turns

SCOPE = "livekit-agents"
HEARD = ("lk.pii.user_transcript", "lk.user_transcript")
SAID = ("lk.pii.response.text", "lk.response.text")
PLANNED = ("lk.pii.input_text", "lk.input_text")
_BY = {"participant_disconnected": "caller", "job_shutdown": "system", "error": "system"}


def is_from(raw: Raw) -> bool:
    """Say whether a span is LiveKit's."""
    return raw.scope == SCOPE


def turns(spans: list[Raw], tree: Tree, origin: int, made: Turns, lost: Lost) -> None:
    """Add the turns of a call, in order of time."""
    rows: dict[int, dict[str, list[Raw]]] = {}
    for span in spans:
        if span.name in ("user_speaking", "agent_speaking", "tts_request", "llm_node"):
            above = next((a for a in tree.above(span) if a.name in ("user_turn", "agent_turn")), None)
            if above is not None:
                rows.setdefault(id(above), {}).setdefault(span.name, []).append(span)
    said: list[tuple[int, dict[str, Any]]] = []
    for span in spans:
        row = {name: sorted(found, key=_by_start) for name, found in rows.get(id(span), {}).items()}
        if span.name == "user_turn":
            said += _heard(span, row)
        elif span.name == "agent_turn":
            said += _spoken(span, row, lost)
    said.sort(key=lambda pair: (pair[0], pair[1]["label"], pair[1]["end"] or 0, pair[1]["text"]))
    for at, turn in said:
        end = turn.pop("end")
        label, text = turn.pop("label"), turn.pop("text")
        made.add(label, text, (at - origin) / S, None if end is None else (end - origin) / S, **turn)


def _by_start(span: Raw) -> tuple[int, int, str]:
    return span.start or 0, span.end or 0, span.id


def _heard(span: Raw, row: dict[str, list[Raw]]) -> list[tuple[int, dict[str, Any]]]:
    text = some(span.first(HEARD))
    if text is None or span.start is None:
        return []
    speaking = row.get("user_speaking", [])
    start = speaking[0].start if speaking and speaking[0].start is not None else span.start
    end = speaking[-1].end if speaking else span.end
    return [(start, {"label": "caller", "text": text, "end": end})]


def _spoken(span: Raw, row: dict[str, list[Raw]], lost: Lost) -> list[tuple[int, dict[str, Any]]]:
    """Return a turn for each stretch that the agent spoke; what was planned for it stands on the request to synthesise."""
    whole = some(span.first(SAID))
    stretches = [one for one in row.get("agent_speaking", []) if one.start is not None]
    planned = _planned(stretches, row)
    cut = is_true(span.attrs.get("lk.interrupted"))
    if not stretches:
        if whole is not None and not cut and span.start is not None:
            return [(span.start, {"label": "agent", "text": whole, "end": span.end})]
        lost["turns_empty"] += whole is None
        return []
    found = []
    for index, stretch in enumerate(stretches):
        text, last = planned[index], index == len(stretches) - 1
        turn: dict[str, Any] = {"label": "agent", "text": text, "end": stretch.end}
        if last and cut:
            turn.update(text=whole or "", planned=text or None, interrupted=True)
            if whole is None:
                turn["text"] = text
                lost["spoken_part_unknown"] += 1
        elif last and whole is not None and not text:
            turn["text"] = whole
        assert stretch.start is not None
        found.append((stretch.start, turn))
    return found


def _planned(stretches: list[Raw], row: dict[str, list[Raw]]) -> list[str]:
    """Return what was planned for each stretch: a request belongs to the first stretch that had not ended when it began."""
    texts: list[list[str]] = [[] for _ in stretches]
    source = row.get("tts_request") or row.get("llm_node") or []
    names = PLANNED if row.get("tts_request") else SAID
    for request in source:
        text = some(request.first(names))
        if text is None or not stretches:
            continue
        at = request.start or 0
        index = next((i for i, s in enumerate(stretches) if s.end is None or s.end >= at), len(stretches) - 1)
        texts[index].append(text)
    return [joined(found) for found in texts]


def signs(spans: list[Raw]) -> tuple[list[Sign], list[Sign]]:
    """Return the handoffs that are spans (since 1.8) and those that only another agent's start tells."""
    told = [of_span(span) for span in spans if span.name == "update_agent"]
    starts = sorted((s for s in spans if s.name == "start_agent_activity"), key=_by_start)
    labels = [(span, some(span.attrs.get("lk.agent_label"))) for span in starts]
    labels = [(span, label) for span, label in labels if label is not None]
    changed = [
        Sign(to=label, by=before, start=span.start, raw=span)
        for (_, before), (span, label) in pairwise(labels)
        if label != before
    ]
    return told, changed


def outs(spans: list[Raw]) -> list[Out]:
    """Return who spoke when, and how the call ended."""
    made = []
    for span in spans:
        if span.name in ("user_speaking", "agent_speaking"):
            kind = "caller_audio_active" if span.name == "user_speaking" else "agent_audio_active"
            made.append(of_raw(kind, span, {}))
        elif span.name == "session_close":
            reason = some(span.attrs.get("lk.close_reason"))
            data = {"reason": reason, "by": _BY.get(reason or "")}
            data = {key: value for key, value in data.items() if value is not None}
            made.append(Out(type="termination", data=data, start=span.start, raw=span, is_instant=True))
    return made

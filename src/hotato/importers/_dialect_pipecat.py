"""Pipecat: what its spans tell of speech. Tool calls of cascaded pipelines are read from the requests to the model."""

from __future__ import annotations

from typing import Any

from hotato.importers._clock import S
from hotato.importers._conversation import Saying
from hotato.importers._dialect_tools import Tool
from hotato.importers._handoffs import keys
from hotato.importers._notes import Lost
from hotato.importers._out import Out, of_raw
from hotato.importers._payload import answer, identifier, some
from hotato.importers._raw import Raw, Tree, is_true
from hotato.importers._roles import Turns

SCOPE = "pipecat"


def is_from(raw: Raw) -> bool:
    """Say whether a span is Pipecat's."""
    return raw.scope.startswith(SCOPE)


def turns(spans: list[Raw], tree: Tree, origin: int, made: Turns, lost: Lost) -> list[Out]:
    """Add the turns of a call, in order of time; return the partial transcripts."""
    cut = _cut_off(spans, tree)
    said: list[tuple[int, int, str, str, dict[str, Any]]] = []
    partial: list[Out] = []
    for span in spans:
        if span.start is None:
            continue
        if span.name == "stt":
            text = some(span.attrs.get("transcript"))
            final = span.attrs.get("is_final")
            if text is not None and (final is False or final == "false"):
                partial.append(of_raw("asr_partial", span, {"text": text}))
            elif text is not None:
                said.append((span.start, span.end or 0, "caller", text, {"end": span.end}))
        elif span.name == "tts":
            text = some(span.attrs.get("text"))
            if text is not None:
                interrupted = is_true(span.attrs.get("tts.interrupted")) or id(span) in cut
                lost["spoken_part_unknown"] += interrupted
                lost["speech_synthesised"] += 1
                said.append((span.start, span.end or 0, "agent", text, {"end": span.end, "interrupted": interrupted}))
    said.sort(key=lambda turn: turn[:4])
    for start, _, label, text, rest in said:
        end = rest.pop("end")
        made.add(label, text, (start - origin) / S, None if end is None else (end - origin) / S, **rest)
    lost["partials_dropped"] += len(partial)
    return partial


def _cut_off(spans: list[Raw], tree: Tree) -> set[int]:
    """Return the last synthesis of each exchange that was cut off; the last exchange is marked so when a call just ends."""
    exchanges = sorted((s for s in spans if s.name == "turn"), key=lambda s: (s.start or 0, s.id))
    last: dict[int, Raw] = {}
    for span in sorted((s for s in spans if s.name == "tts"), key=lambda s: (s.start or 0, s.id)):
        above = next((a for a in tree.above(span) if a.name == "turn"), None)
        if above is not None:
            last[id(above)] = span
    found = set()
    for exchange in exchanges[:-1]:
        ended = is_true(exchange.attrs.get("turn.ended_by_conversation_end"))
        if is_true(exchange.attrs.get("turn.was_interrupted")) and not ended and id(exchange) in last:
            found.add(id(last[id(exchange)]))
    return found


def pressed(said: list[Saying]) -> list[Out]:
    """Return the keys that the caller pressed, which stand among the messages to the model as `DTMF: 12#`."""
    made: list[Out] = []
    for saying in said:
        digits = keys(saying.text[6:]) if saying.who == "caller" and saying.text.startswith("DTMF: ") else ""
        if digits:
            data = {"digits": digits, "by": "caller"}
            out = Out(type="dtmf", data=data, start=saying.at, is_instant=True, inferred=True, order=len(made))
            made.append(out)
    return made


def settle(spans: list[Raw], tools: list[Tool], lost: Lost) -> None:
    """Give the results that stand on spans of their own to the calls of a speech-to-speech model."""
    for span in sorted(spans, key=lambda s: (s.start or 0, s.id)):
        if span.name != "llm_tool_result":
            continue
        call_id = identifier(span.attrs.get("tool.call_id"))
        name = some(span.attrs.get("tool.function_name"))
        found = next(
            (t for t in tools if not t.has_result and (t.call_id == call_id if call_id else t.name == name)), None
        )
        if found is None:
            lost["result_unpaired"] += 1
            continue
        value = span.attrs.get("tool.result")
        if value is not None:
            found.result, found.has_result = answer(value, lost), True
        found.status = found.status or some(span.attrs.get("tool.result_status"))
        if found.start is not None and span.end is not None and span.end >= found.start:
            found.end = span.end

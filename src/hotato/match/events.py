"""Events as assertions name them: something said, a tool call, a request, a handoff, a span of a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from hotato.match.evidence import Evidence
from hotato.match.matchers import value_faults
from hotato.match.misspelt import type_faults
from hotato.match.regex import Pattern, regex_fault
from hotato.match.spans import HANDOFF, HTTP_EXCHANGE, TOOL_CALL, Trace, fell_through, status, target
from hotato.match.text import fold_role, nfc
from hotato.match.timeline import Moment, Timeline
from hotato.match.values import Expected
from hotato.model import codec
from hotato.model.call import Span, Turn
from hotato.model.fault import Fault

Name = Annotated[str, msgspec.Meta(min_length=1)]
Regex = Annotated[str, msgspec.Meta(min_length=1, extra_json_schema={"format": "regex"})]
Subset = Annotated[dict[str, Any], msgspec.Meta(min_length=1)]
FAILED, SUCCEEDED, STATUS_DIFFERS, RESULT_DIFFERS = "failed", "succeeded", "status_differs", "result_differs"
_SORTS = ("says", "role", "tool", "tool_matches", "http", "handoff", "span_type")
_CALLS = ("tool", "tool_matches")
_ONLY_WITH = {
    "outcome": (*_CALLS, "http", "handoff"), "args_subset": _CALLS, "result_subset": _CALLS, "method": ("http",),
    "status": ("http",), "edge": _SORTS, "case_sensitive": ("says",),
}  # fmt: skip


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One sort of event. Exactly one of these, with what belongs to it:

    - `says`: a regex, with `role` only in what this party said; each turn in which a match starts is an event.
    - `role` alone: all that this party said, utterance by utterance.
    - `tool`: calls of a tool, with `args_subset`, `result_subset` and `outcome` (`success` or `failure`) only such calls.
    - `tool_matches`: the same for all tools whose name a regex matches somewhere.
    - `http`: a regex on the URL of a request, with `method`, `status` and `outcome` only such requests.
    - `handoff`: the target of a handoff, `anyone` for all; failed ones count only with `outcome: failure`.
    - `span_type`: spans of a type, such as `dtmf`, `termination` or one of your own.

    `edge` is the moment that counts, `start` or `end`.
    """

    says: Regex | None = None
    role: Name | None = None
    tool: Name | None = None
    tool_matches: Regex | None = None
    http: Regex | None = None
    handoff: Name | None = None
    span_type: Name | None = None
    case_sensitive: bool | None = None
    args_subset: Subset | None = None
    result_subset: Subset | None = None
    method: Name | None = None
    status: Annotated[int, msgspec.Meta(ge=100, le=599)] | None = None
    outcome: Literal["success", "failure"] | None = None
    edge: Literal["start", "end"] | None = None

    @property
    def source(self) -> Literal["transcript", "trace"]:
        """Return the evidence that the event is read from."""
        return "transcript" if self.says is not None or self.role is not None else "trace"

    @property
    def is_call(self) -> bool:
        """Say whether the event is a call of a tool."""
        return self.tool is not None or self.tool_matches is not None

    def rests_on(self) -> tuple[str, ...]:
        """Return what the source of the trace must record for the event to be seen."""
        if self.is_call:
            found = ["tool_call"]
            found += ["arguments"] if self.args_subset is not None else []
            return (*found, "result") if self.result_subset is not None else tuple(found)
        if self.http is not None:
            return (HTTP_EXCHANGE,)
        return (HANDOFF,) if self.handoff is not None else (self.span_type,) if self.span_type is not None else ()

    def words(self) -> str:
        """Return the event in words, made of what the document says."""
        how = {"success": " that succeeded", "failure": " that failed", None: ""}[self.outcome]
        if self.is_call:
            return f"a call of {self.tool or f'a tool named like {self.tool_matches}'}{how}"
        if self.http is not None:
            return f"a request{how}"
        if self.handoff is not None:
            return f"a handoff to {self.handoff}{how}"
        if self.span_type is not None:
            return f"a {self.span_type} span"
        whose = f" of the {fold_role(self.role)}" if self.role is not None else ""
        return f"the phrase{whose}" if self.says is not None else f"a turn{whose}"


def sources(*events: Event | None) -> tuple[Literal["transcript", "trace"], ...]:
    """Return the evidence that events are read from, sorted."""
    return tuple(sorted({event.source for event in events if event is not None}))


def recorded(*events: Event | None) -> tuple[str, ...]:
    """Return what the source of the trace must record for events to be seen, sorted."""
    return tuple(sorted({name for event in events if event is not None for name in event.rests_on()}))


def event_faults(event: Event | None, *path: str | int) -> Iterator[Fault]:
    """Yield what is wrong with an event beyond its types."""
    if event is None:
        return
    given = [name for name in _SORTS if getattr(event, name) is not None]
    if "says" in given and "role" in given:
        given.remove("role")
    if len(given) != 1:
        found = " and ".join(given) or "none"
        yield Fault(path, "exclusive_fields", f"an event needs exactly one of {', '.join(_SORTS)}; found {found}")
    for name, owners in _ONLY_WITH.items():
        if getattr(event, name) is not None and not any(getattr(event, owner) is not None for owner in owners):
            yield Fault((*path, name), "needless_field", f"'{name}' means nothing without {' or '.join(owners)}")
    for name in ("says", "http", "tool_matches"):
        source = getattr(event, name)
        said = regex_fault(source) if source is not None else ""
        if said:
            yield Fault((*path, name), "regex", said)
    for name in ("args_subset", "result_subset"):
        yield from value_faults(getattr(event, name), (*path, name))
    yield from type_faults(event.span_type, *path, "span_type")


def finder(event: Event, pattern: Callable[..., Pattern], sources: Sequence[str]) -> Callable[[Evidence], list[Moment]]:
    """Return what finds the event in a call: its moments on the timeline of the sources, in the order of its own.

    What finds equal events finds them once in a call, and gives the same list, which is nobody's to change.
    """
    find = _saying(event, pattern, sources) if event.source == "transcript" else _doing(event, pattern, sources)
    key = alike(event, sources)
    return lambda evidence: evidence.once(key, lambda: find(evidence))


def alike(event: Event, sources: Sequence[str]) -> tuple[Any, ...]:
    """Return what is equal of events that have the same moments on the timeline of the same sources."""
    return type(event), codec.encode_bytes(replace(event, edge=None)), tuple(sources)


def _doing(event: Event, pattern: Callable[..., Pattern], sources: Sequence[str]) -> Callable[[Evidence], list[Moment]]:
    chosen, fault = candidates(event, pattern), faulting(event)

    def find(evidence: Evidence) -> list[Moment]:
        trace, moment = evidence.trace, evidence.timeline(sources).of_span
        return [moment(span) for span in chosen(trace) if not fault(trace, span)]

    return find


def _saying(
    event: Event, pattern: Callable[..., Pattern], sources: Sequence[str]
) -> Callable[[Evidence], list[Moment]]:
    role = None if event.role is None else fold_role(event.role)
    if event.says is None:
        return lambda evidence: [
            _utterance(evidence.timeline(sources), utterance) for utterance in evidence.transcript.lane(role).utterances
        ]
    says = pattern(event.says, case_sensitive=bool(event.case_sensitive))

    def find(evidence: Evidence) -> list[Moment]:
        moment = evidence.timeline(sources).of_turn
        return [_in_words(moment(turn), turn, says) for turn in evidence.transcript.lane(role).matching(says)]

    return find


def _utterance(timeline: Timeline, turns: Sequence[Turn]) -> Moment:
    moment = timeline.of_turn(turns[0])
    return moment if len(turns) == 1 else replace(moment, end=timeline.of_turn(turns[-1]).end)


def _in_words(moment: Moment, turn: Turn, says: Pattern) -> Moment:
    """Return the moment of the words that match, where the source tells the time of each word."""
    match = says.search(turn.text) if turn.words else None
    if match is None:
        return moment
    place, start, end = 0, None, None
    for word, begun, ended in turn.words:
        found = turn.text.find(word, place)
        if found < 0:
            return moment
        place = found + len(word)
        if place > match.start() and start is None:
            start = begun
        if found < match.end():
            end = ended
    if start is None or end is None or end < start:
        return moment
    return replace(moment, low=start, high=start, start=start, end=end)


def candidates(event: Event, pattern: Callable[..., Pattern]) -> Callable[[Trace], Sequence[Span]]:
    """Return what gives the spans that are meant, however they came out: by tool and arguments, address, target or type."""
    if event.is_call:
        calls, args = _calls(event, pattern), None if event.args_subset is None else Expected(event.args_subset)
        return lambda trace: [s for s in calls(trace) if args is None or args.matches(trace.arguments(s))]
    if event.http is not None:
        url = pattern(event.http, case_sensitive=True, speech=False)
        method = None if event.method is None else event.method.strip().upper()
        return lambda trace: [
            span
            for span, (_, exchange) in zip(trace.of_type(HTTP_EXCHANGE), trace.exchanges, strict=True)
            if url.search(exchange["url"]) is not None and method in (None, exchange["method"])
        ]
    if event.handoff is not None:
        wanted = None if event.handoff == "anyone" else nfc(event.handoff).casefold()
        return lambda trace: [s for s in trace.of_type(HANDOFF) if wanted is None or target(s) == wanted]
    kind = event.span_type or ""
    return lambda trace: trace.of_type(kind)


def _calls(event: Event, pattern: Callable[..., Pattern]) -> Callable[[Trace], Sequence[Span]]:
    if event.tool_matches is None:
        tool = event.tool or ""
        return lambda trace: trace.calls(tool)
    name = pattern(event.tool_matches, speech=False)
    return lambda trace: [s for s in trace.of_type(TOOL_CALL) if s.name is not None and name.search(s.name) is not None]


def faulting(event: Event) -> Callable[[Trace, Span], str]:
    """Return what tells in one word how a span that is meant did not come out as it should; empty where it did.

    A call, a request or a handoff has to have the outcome asked for; without one a failed handoff is none.
    """
    result = None if event.result_subset is None else Expected(event.result_subset)
    outcome = event.outcome or ("success" if event.handoff is not None else None)

    def fault(trace: Trace, span: Span) -> str:
        if outcome is not None:
            failed = _failed(trace, span)
            if failed is not (outcome == "failure"):
                return FAILED if failed else SUCCEEDED
        if event.status is not None and status(span) != event.status:
            return STATUS_DIFFERS
        return RESULT_DIFFERS if result is not None and not result.matches(trace.result(span)) else ""

    return fault


def _failed(trace: Trace, span: Span) -> bool:
    if span.type == HANDOFF:
        return fell_through(span)
    if span.type == HTTP_EXCHANGE:
        code = status(span)
        return type(code) is not int or not 200 <= code < 400
    return trace.error(span) is not None

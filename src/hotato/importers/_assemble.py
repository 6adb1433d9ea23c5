"""From spans of telemetry to a call: the one path on which OTLP, Jaeger, Zipkin, console output and Langfuse meet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hotato.importers import _dialect_elevenlabs as elevenlabs
from hotato.importers import _dialect_handoffs as handoffs
from hotato.importers import _dialect_http as http
from hotato.importers import _dialect_livekit as livekit
from hotato.importers import _dialect_messages as messages
from hotato.importers import _dialect_own as own
from hotato.importers import _dialect_pipecat as pipecat
from hotato.importers import _dialect_tools as tools
from hotato.importers._clock import S, number_ns
from hotato.importers._conversation import Story
from hotato.importers._conversations import chosen
from hotato.importers._dialect_actions import acted
from hotato.importers._dialect_told import merged
from hotato.importers._importer import Imported, Options
from hotato.importers._otel_notes import told
from hotato.importers._out import Out, written
from hotato.importers._raw import Batch, Event, Log, Raw, Tree, distinct
from hotato.importers._roles import Turns
from hotato.match.spans import is_failing
from hotato.model.meta import EVENTS

ROLES = {"agent": "agent", "caller": "caller"}
_OF_TOOLS = frozenset((*tools.NAMES, *tools.IDS, *tools.ARGUMENTS, *tools.RESULTS, *tools.FLAGS, *tools.STATUSES))
# No span without events is of interest that has none of these and whose name says nothing.
_TELLING = http.TELLING | tools.TELLING | messages.TELLING
_ASKING = frozenset({"tool_call", "tool_calls", "tool_use", "function_call"})
_CONSUMED = frozenset((*_OF_TOOLS, *tools.OWN_ARGUMENTS, *tools.OWN_RESULTS, "tool_name", "name", "tool", "function"))


def imported(batch: Batch, name: str, options: Options, cut_to: tuple[str | None] | None = None) -> Imported:
    """Return the call that a batch of telemetry tells. Raise Damage where it holds several calls and none is chosen.

    `cut_to` holds the id of the conversation where the batch was cut to one before; None there for what names none.
    """
    count = batch.count
    spans = distinct(batch.spans, batch.lost)
    _place(batch.logs, spans, batch)
    spans, call_id = chosen(spans, options, batch.lost) if cut_to is None else (spans, cut_to[0])
    reading = _Reading(spans, options, batch)
    made = reading.imported(name)
    made.call_id = call_id
    made.meta = {"source": {"input_span_count": count}}
    return made


def _place(logs: list[Log], spans: list[Raw], batch: Batch) -> None:
    """Put what log records say of messages onto the spans that they belong to."""
    if not logs:
        return
    by_id = {(span.trace, span.id): span for span in spans if span.id}
    for log in sorted(logs, key=lambda one: (one.at or 0, one.trace, one.span, one.name)):
        span = by_id.get((log.trace, log.span)) if log.span else None
        if span is None:
            batch.lost["logs_unplaced"] += 1
            span = Raw(log.trace, log.span, "", log.name, 0, log.at, None, {}, [], 0, "", log.scope, log.resource)
            spans.append(span)
            if log.span:
                by_id[log.trace, log.span] = span
        fresh = {key: value for key, value in log.attrs.items() if span.attrs.get(key) is None}
        span.attrs = {**span.attrs, **fresh}
        if type(log.body) is dict and log.body:
            span.events = [*span.events, Event(log.at, log.name, log.body)]


class _Reading:
    """One call being read: its spans sorted by what they are."""

    def __init__(self, spans: list[Raw], options: Options, batch: Batch) -> None:
        self.spans, self.options, self.lost = spans, options, batch.lost
        self.tree = Tree(spans)
        self.tools: list[Raw] = []
        self.http: list[Raw] = []
        self.handoffs: list[handoffs.Sign] = []
        self.agents: list[Raw] = []
        self.carriers: list[Raw] = []
        self.outs: list[Out] = []
        scopes = {span.scope for span in spans}
        self.livekit = [span for span in spans if livekit.is_from(span)] if livekit.SCOPE in scopes else []
        spoken = any(scope.startswith(pipecat.SCOPE) for scope in scopes)
        self.pipecat = [span for span in spans if pipecat.is_from(span)] if spoken else []
        self.elevenlabs = [span for span in spans if span.name.startswith(elevenlabs.PREFIX)]
        for span in spans:
            if span.events or not _TELLING.isdisjoint(span.attrs) or _is_telling(span.name) or spoken:
                self._sort(span)

    def _sort(self, span: Raw) -> None:
        kind = own.type_of(span.name)
        if span.events:
            self.outs += own.events(span)
        if kind == "tool_call":
            self.tools.append(span)
        elif kind == "http_exchange":
            self.http.append(span)
        elif kind:
            self.outs.append(own.read(span, kind))
        elif http.is_exchange(span):
            self.http.append(span)
        else:
            self._sort_by_role(span)

    def _sort_by_role(self, span: Raw) -> None:
        role = tools.role_of(span)
        if role == "tool":
            self.tools.append(span)
        elif role == "handoff":
            self.handoffs.append(handoffs.of_span(span))
        else:
            if role == "agent" and not livekit.is_from(span):
                self.agents.append(span)
            if messages.is_carrier(span):
                if messages.is_cut(span):
                    self.lost["messages_unreadable"] += 1
                else:
                    self.carriers.append(span)

    def imported(self, name: str) -> Imported:
        """Return the call."""
        lost = self.lost
        calls = tools.collected(self.tools, self.tree, lost)
        for call in calls:
            if call.raw is not None and own.type_of(call.raw.name):
                call.extra = own.beside(call.raw, _CONSUMED)
        if self.pipecat:
            pipecat.settle(self.pipecat, calls, lost)
        story = Story(self.carriers, self.tree, lost) if self.carriers else None
        unmatched, transfers = merged(story.calls, calls, lost) if story is not None else ([], [])
        calls += unmatched
        self.outs += [self._exchange(out) for out in http.collected(self.http, self.tree, lost)]
        self.outs += [tools.out_of(call) for call in calls]
        explicit, changed = livekit.signs(self.livekit) if self.livekit else ([], [])
        signs = [changed, handoffs.of_agents(self.agents), handoffs.of_tools([*calls, *transfers])]
        own_signs = _own_signs(self.outs)
        self.outs = [out for out in self.outs if out.type != "handoff"]
        self.outs += handoffs.collected([*own_signs, *self.handoffs, *explicit], signs, lost)
        self.outs += livekit.outs(self.livekit) + elevenlabs.outs(self.elevenlabs)
        self.outs += acted(calls, self.outs)
        return self._made(name, story, calls)

    def _exchange(self, out: Out) -> Out:
        """Return an exchange with what a span of the own type says in words of its own."""
        if out.raw is not None and own.type_of(out.raw.name):
            return own.read(out.raw, "http_exchange")
        return out

    def _made(self, name: str, story: Story | None, calls: list[tools.Tool]) -> Imported:
        lost = self.lost
        turns = Turns(ROLES, self.options, lost)
        origin = self._origin()
        heard = self._turns(turns, origin, story)
        spans = written(self.outs, self.tree, origin, lost)
        lost["span_unfinished"] += sum(_is_unfinished(out) for out in self.outs)
        captures = self._captures(calls)
        if self.spans and not (heard or spans or any(captures.values())):
            is_told = lost["calls_unrecorded"] or lost["messages_unreadable"]
            lost["spans_unread"] += 0 if is_told else len(self.spans)
            captures = dict.fromkeys(sorted(EVENTS), False)  # it proves nothing of any
        return Imported(
            format=name,
            transcript=turns.turns if heard else None,
            spans=spans,
            stack=self._stack(),
            agent_id=_of_resource(self.spans, ("elevenlabs.agent_id",)),
            captures=captures,
            notes=[*told(lost), *turns.notes()],
        )

    def _turns(self, turns: Turns, origin: int, story: Story | None) -> bool:
        """Add the turns; say whether the telemetry is of a kind that tells what was said."""
        if self.livekit:
            livekit.turns(self.livekit, self.tree, origin, turns, self.lost)
            return True
        if self.pipecat:
            self.outs += pipecat.turns(self.pipecat, self.tree, origin, turns, self.lost)
            self.outs += pipecat.pressed(story.said) if story is not None else []
            return True
        if self.elevenlabs:
            elevenlabs.turns(self.elevenlabs, origin, turns)
            return bool(turns.turns)
        if story is None or self.lost["messages_unreadable"]:  # half of what was said is no transcript
            return False
        for saying in story.said:
            cut = saying.planned is not None
            turns.add(saying.who, saying.text, interrupted=cut, planned=saying.planned)
        self.lost["turns_from_messages"] += len(turns.turns)
        return bool(turns.turns)

    def _origin(self) -> int:
        """Return the moment that counts as 0: the earliest start in the traces that tell anything of the call."""
        if self.options.origin is not None:
            given = number_ns(self.options.origin, S)
            if given is not None:
                return given
        telling = {out.raw.trace for out in self.outs if out.raw is not None}
        telling |= {span.trace for span in (*self.livekit, *self.pipecat, *self.elevenlabs)}
        starts = [span.start for span in self.spans if span.start is not None and span.trace in telling]
        starts += [out.start for out in self.outs if out.start is not None]
        return min(starts, default=0)

    def _stack(self) -> str | None:
        known = (("livekit", self.livekit), ("pipecat", self.pipecat), ("elevenlabs", self.elevenlabs))
        return next((name for name, spans in known if spans), None)

    def _captures(self, calls: list[tools.Tool]) -> dict[str, bool]:
        """Return what is known to be recorded, or not to be.

        Calls of which none has arguments come from a source that leaves them out, and so do answers that end in tool calls
        where there is no call.
        """
        kinds = {out.type for out in self.outs}
        found: dict[str, bool] = {
            kind: True for kind in ("http_exchange", "handoff", "dtmf", "termination") if kind in kinds
        }
        if calls or self.livekit or self.pipecat:
            found["tool_call"] = True
        if not calls and (asked := sum(map(_asks_for_tools, self.spans))):
            found["tool_call"] = False
            self.lost["calls_unrecorded"] += asked
        if not calls and self.lost["messages_unreadable"]:
            found["tool_call"] = False
        if self.livekit:
            found.update(handoff=True, termination=True)
        if calls:
            found["arguments"] = any(call.fields for call in calls)
            if any(call.has_result for call in calls):
                found["result"] = True
            elif any(call.error is None and call.end is not None and not is_failing(call.status) for call in calls):
                found["result"] = False
        return dict(sorted(found.items()))


@lru_cache(1024)
def _is_telling(name: str) -> bool:
    return bool(own.type_of(name) or tools.role_of_name(name))


def _asks_for_tools(span: Raw) -> bool:
    """Say whether a span is of an answer of a model that ends in tool calls."""
    reasons = span.attrs.get("gen_ai.response.finish_reasons")
    if type(reasons) is str:
        return any(reason in reasons for reason in _ASKING)
    return type(reasons) is list and not _ASKING.isdisjoint(one for one in reasons if type(one) is str)


def _is_unfinished(out: Out) -> bool:
    return out.raw is not None and out.raw.end is None and not out.is_instant and not out.inferred


def _own_signs(outs: list[Out]) -> list[handoffs.Sign]:
    """Return the handoffs of the own type as signs, so that no other sign repeats them."""
    return [handoffs.of_out(out) for out in outs if out.type == "handoff"]


def _of_resource(spans: Iterable[Raw], names: tuple[str, ...]) -> str | None:
    found: set[Any] = {span.resource.get(name) for span in spans for name in names} - {None}
    return found.pop() if len(found) == 1 and all(type(one) is str for one in found) else None

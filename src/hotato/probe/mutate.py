"""Can it fail? A call is changed one step at a time, and each assertion is watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec
from msgspec.structs import replace

from hotato.match.evidence import Evidence
from hotato.model.call import Call, Span, Turn
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.plan.compile import Node, Plan
from hotato.plan.resources import Resources
from hotato.plan.run import judge, settle
from hotato.probe.mutate_call import Change, clock_of, delayed, of_spans, of_turns
from hotato.probe.mutate_done import of_deeds
from hotato.probe.mutate_held import Recorded, of_records, of_timing
from hotato.probe.mutate_said import of_speech
from hotato.probe.mutate_words import Packs, words_of

MOST = 2_000
CHANGES = {
    "turn_dropped": "a turn is left out",
    "turn_altered": "a turn says nothing in particular",
    "speaker_changed": "a turn is the other party's",
    "turn_repeated": "a turn is said again, once or more often than any count allows",
    "turn_moved": "a turn comes before or after all others",
    "turns_swapped": "two turns that follow one another change places",
    "party_silent": "a party says nothing at all",
    "words_unsaid": "no turn says what a pattern of the document looks for",
    "words_said": "a turn is added that says what a pattern of the document looks for",
    "said_in_wrong_order": "two turns are added that say what the document has in another order",
    "number_leaked": "a turn is added that tells a personal number or address, made up",
    "call_dropped": "a tool call is left out",
    "calls_dropped": "all calls of a tool are left out",
    "call_added": "a tool call that the document names is added, first or last, well or failed",
    "call_repeated": "a tool call is made again, once or more often than any count allows",
    "tool_renamed": "a tool call is one of another tool",
    "argument_changed": "an argument has another value",
    "argument_dropped": "an argument is missing",
    "argument_added": "an argument that the document names is there as well",
    "result_changed": "a field of a result or response has another value",
    "result_dropped": "a field of a result or response is missing",
    "result_added": "a field of a result that the document names is there as well",
    "made_to_fail": "a call, a request or a handoff failed",
    "made_to_succeed": "a call, a request or a handoff bears no sign of failure",
    "slowed": "an event takes a minute longer",
    "event_dropped": "an event that is no tool call is left out",
    "events_dropped": "all events of a type are left out",
    "event_added": "an event that the document names is added, first or last",
    "event_repeated": "an event that is no tool call happens again",
    "event_renamed": "an event that is no tool call has another name",
    "event_moved": "an event or a tool call comes before or after all others",
    "events_swapped": "two events that follow one another change places",
    "field_changed": "another field of an event (a status, keys pressed, a reason ...) has another value",
    "field_dropped": "another field of an event is missing",
    "record_dropped": "the system of record holds no such record",
    "record_added": "the system of record holds a record that it did not",
    "record_changed": "a field of a record has another value",
    "record_unchanged": "a record after the call is what it was before",
    "record_field_dropped": "a field of a record is missing",
    "timing_changed": "a measurement of the recording is larger, or none, or the other way round",
    "timing_dropped": "a measurement of the recording is missing",
    "all_later": "from a turn or an event on, all happens a minute later",
    "cut_short": "the call ends before a turn or an event",
    "nothing_happened": "nothing was said and nothing was done",
}
# what is made of the document, or of the call as a whole: few, and what a check that forbids something needs
OF_THE_DOCUMENT = frozenset(
    "words_said words_unsaid said_in_wrong_order number_leaked party_silent call_added calls_dropped event_added "
    "events_dropped record_added record_unchanged nothing_happened".split()
)
ADDED = frozenset("words_said said_in_wrong_order number_leaked call_added event_added record_added".split())
APART = frozenset({"timing_contract"})  # judged by recordings of its own, not by the call


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of change that turns a verdict round. `times` of the `of` such changes did.

    `turn` or `span` is the position of the first that did, where it changes one thing; both are null where it does not.
    """

    change: str
    times: int
    of: int
    turn: int | None = None
    span: int | None = None


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one assertion.

    `status` and `code` are those of the call as it is. `flips` are the kinds of change that make a PASS a FAIL or a FAIL a
    PASS, most often first. `only_by_added` is true where all of them add what the document names: this call does not show
    that the names are right. `unsettled` counts the changes that made it INCONCLUSIVE, which shows nothing. What is not
    `scored` has no verdict on the evidence of a call.
    """

    id: str
    kind: str
    status: str
    code: str
    scored: bool
    flips: tuple[Flip, ...]
    only_by_added: bool
    unsettled: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a document on one call, changed one step at a time.

    `assertions` are listed in the order of the document, those that nothing flips first and those not scored last. `score` is the percentage of
    the scored ones that something flips, null where none is scored; what was INCONCLUSIVE from the start counts as not
    flipped. `changes` counts the changes made of each kind, `left_out` those beyond the limit.
    """

    score: float | None
    flipped: int
    of: int
    mutations: int
    left_out: int
    changes: dict[str, int]
    assertions: tuple[Judged, ...]


def mutate(plan: Plan, call: Call, *, most: int = MOST, incremental: bool = True, pack: Packs | None = None) -> Report:
    """Return which changes of a call flip which assertions. The same call gives the same answer.

    `most` limits the changes; of more, those made of the document come first, and of the others every kind keeps its share,
    spread over the call. `pack` reads rule packs that the document names by file; without it these are refused. Without `incremental` every
    assertion is judged again after each change, for the same answer. Raise UsageError where the call as it is cannot be
    judged, InternalError where a check is broken.
    """
    recorded = None if call.state_adapter is None else Recorded(call.state_adapter)
    call = replace(call, state_adapter=recorded, state_evidence=[])
    before = judge(plan, call)
    changes = list(every_change(plan, call, recorded, pack or Resources().pack))
    chosen = spread(changes, most)
    tally = _Tally(plan, {result["id"]: result["status"] for result in before})
    base = Evidence(call, join=plan.join_segments)
    settle(plan, base, plan.order)
    reached = _Reached(plan)
    for change in chosen:
        changed = change.make(call)
        if incremental:
            evidence = base.of_another(changed, change.sources)
            evidence.statuses.update(base.statuses)
            settle(plan, evidence, reached.by(change.sources))
        else:
            evidence = Evidence(changed, join=plan.join_segments)
            settle(plan, evidence, plan.order)
        tally.take(change, evidence)
    counts = {what: sum(change.what == what for change in chosen) for what in CHANGES}
    rows = [tally.row(node, result["code"], counts) for node, result in zip(plan.nodes, before, strict=True)]
    rows.sort(key=lambda row: (not row.scored, bool(row.flips)))
    scored = [row for row in rows if row.scored]
    flipped = sum(bool(row.flips) for row in scored)
    return Report(
        score=round(100 * flipped / len(scored), 1) if scored else None,
        flipped=flipped,
        of=len(scored),
        mutations=len(chosen),
        left_out=len(changes) - len(chosen),
        changes={what: count for what, count in counts.items() if count},
        assertions=tuple(rows),
    )


def every_change(plan: Plan, call: Call, recorded: Recorded | None, pack: Packs) -> Iterator[Change]:
    """Yield every change of a call, one step each, made of the call and of what the document speaks of."""
    words, clock = words_of(plan, pack), clock_of(call)
    if call.transcript is not None:
        yield from of_speech(call, words, clock)
    if call.spans is not None:
        yield from of_deeds(call, words, clock)
    yield from _of_the_whole(call)
    if recorded is not None:
        yield from of_records(recorded, words)
    if call.timing is not None:
        yield from of_timing(call)


def _of_the_whole(call: Call) -> Iterator[Change]:
    both = tuple(name for name, part in (("transcript", call.transcript), ("trace", call.spans)) if part is not None)
    if both:
        yield Change("nothing_happened", both, partial(_cut, None))
    items: list[Turn | Span] = [*(call.transcript or ()), *(call.spans or ())]
    for item in items:
        if item.start is not None:
            place = {"turn" if isinstance(item, Turn) else "span": item.index}
            yield Change("all_later", both, partial(_delayed, item.start), **place)
            yield Change("cut_short", both, partial(_cut, item.start), **place)


def _delayed(second: float, call: Call) -> Call:
    return delayed(call, second)


def _cut(second: float | None, call: Call) -> Call:
    """Return the call as far as it goes before a second; of nothing at all without one."""

    def keeps(start: float | None) -> bool:
        return second is not None and (start is None or start < second)

    if call.transcript is not None:
        call = of_turns(call, [turn for turn in call.transcript if keeps(turn.start)])
    if call.spans is not None:
        call = of_spans(call, [span for span in call.spans if keeps(span.start)])
    return call


def spread(changes: list[Change], most: int) -> list[Change]:
    """Return at most so many changes, in their order.

    Those made of the document come first, whole if they can; of the rest every kind has its share, evenly from first to last.
    """
    if len(changes) <= most:
        return changes
    ours: dict[str, list[int]] = {}
    rest: dict[str, list[int]] = {}
    for place, change in enumerate(changes):
        (ours if change.what in OF_THE_DOCUMENT else rest).setdefault(change.what, []).append(place)
    kept = _shared(ours, most)
    kept += _shared(rest, most - len(kept))
    return [changes[place] for place in sorted(kept)]


def _shared(kinds: dict[str, list[int]], most: int) -> list[int]:
    kept: list[int] = []
    rows = sorted(kinds.values(), key=len)
    for number, places in enumerate(rows):
        share = min(len(places), (most - len(kept)) // (len(rows) - number))
        kept += [places[step * len(places) // share] for step in range(share)]
    return kept


class _Reached:
    """Which assertions a change of some sources can reach: those that read them, and those that wait for or read these."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._known: dict[tuple[str, ...], tuple[int, ...]] = {}

    def by(self, sources: tuple[str, ...]) -> tuple[int, ...]:
        """Return the places of the assertions reached, in the order to judge."""
        if sources not in self._known:
            reached: set[str] = set()
            places = []
            for place in self._plan.order:
                node = self._plan.nodes[place]
                if _reads(node, sources) or reached.intersection((*node.when, *node.refs)):
                    reached.add(node.id)
                    places.append(place)
            self._known[sources] = tuple(places)
        return self._known[sources]


def _reads(node: Node, sources: Iterable[str]) -> bool:
    """Say whether an assertion may read any of the sources. What names none and refers to none may read them all."""
    named: set[str] = {*node.needs, *(node.spec.reads if node.spec is not None else ())}
    if not named:
        return not node.refs
    return not named.isdisjoint(sources) or (bool(node.rests_on) and "trace" in sources)


class _Tally:
    """Counts, for each assertion, the changes of each kind that turned its verdict round."""

    def __init__(self, plan: Plan, before: dict[str, str]) -> None:
        self._before = before
        self._flips: dict[str, dict[str, list[Change]]] = {node.id: {} for node in plan.nodes}
        self._unsettled = dict.fromkeys(before, 0)

    def take(self, change: Change, evidence: Evidence) -> None:
        """Count what became of every assertion."""
        for ident, status in evidence.statuses.items():
            before = self._before[ident]
            if status == before:
                continue
            if {status, before} == {PASS, FAIL}:
                self._flips[ident].setdefault(change.what, []).append(change)
            elif status == INCONCLUSIVE:
                self._unsettled[ident] += 1

    def row(self, node: Node, code: str, counts: dict[str, int]) -> Judged:
        """Return what became of one assertion."""
        found = sorted(self._flips[node.id].items(), key=lambda item: -len(item[1]))
        flips = [
            Flip(change=what, times=len(by), of=counts[what], turn=by[0].turn, span=by[0].span) for what, by in found
        ]
        return Judged(
            id=node.id,
            kind=node.stamp["kind"],
            status=self._before[node.id],
            code=code,
            scored=is_scored(node),
            flips=tuple(flips),
            only_by_added=bool(flips) and all(flip.change in ADDED for flip in flips),
            unsettled=self._unsettled[node.id],
        )


def is_scored(node: Node) -> bool:
    """Say whether an assertion has a verdict that rests on the evidence of a call."""
    return node.stamp["kind"] not in APART and (node.spec is None or node.spec.family != "rubric")

"""From a failing call to the least of it that still fails the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from hotato.errors import Problem, StateAdapterError, UsageError
from hotato.model import codec
from hotato.model.call import Call, Span, StateAdapter, Turn
from hotato.model.verdict import FAIL
from hotato.plan.compile import Plan
from hotato.plan.run import judge
from hotato.probe.shrink_fields import paths, pruned
from hotato.probe.shrink_least import Least, least

MOST_TRIES = 20_000


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """The least of a call that was found to fail the same way.

    `turns` and `spans` are the positions kept, in the input; `of_turns` and `of_spans` say how many there were, None where
    that evidence was not supplied. `fields` counts what is left of the fields of the spans kept, `of_fields` what there
    was. `is_least` is false where the search was given up: less might do. `result` is the result on `call`.
    """

    call: Call
    result: dict[str, Any]
    turns: tuple[int, ...]
    spans: tuple[int, ...]
    of_turns: int | None
    of_spans: int | None
    fields: int
    of_fields: int
    tries: int
    is_least: bool


def shrink(plan: Plan, call: Call, assertion: str, *, most_tries: int = MOST_TRIES) -> Shrunk:
    """Return the least of a call on which an assertion fails with the same code as on the whole.

    Turns and spans are left out one after another until nothing more can be; what an assertion refers to keeps its
    status and code as well. Then fields of the spans are left out where the result stays the same to the letter. The
    same call gives the same answer, whatever the machine: `most_tries` counts judgements, not seconds. A system of
    record is asked each question once.

    Raise UsageError where the plan has no such assertion, or where it does not fail.
    """
    part = part_of(plan, assertion)
    asked = call if call.state_adapter is None else _like(call, call.transcript, call.spans, _Once(call.state_adapter))
    before = judge(part, asked)
    if before[-1]["status"] != FAIL:
        said = f"assertion '{assertion}' is {before[-1]['status']} on this call; what fails is shrunk"
        raise UsageError(Problem(code="not_failing", file="shrink", message=said))
    wanted = _signs(before)

    def fails(kept: Sequence[Turn | Span]) -> bool:
        return _signs(judge(part, _of(asked, kept))) == wanted

    found = least(_ordered(call), fails, most_tries)
    small = _of(asked, found.kept)
    result = judge(part, small)[-1]
    trimmed, left, whole = _trimmed(part, small, result, most_tries - found.tries)
    return Shrunk(
        call=trimmed,
        result=result,
        turns=tuple(sorted(one.index for one in found.kept if isinstance(one, Turn))),
        spans=tuple(sorted(one.index for one in found.kept if isinstance(one, Span))),
        of_turns=None if call.transcript is None else len(call.transcript),
        of_spans=None if call.spans is None else len(call.spans),
        fields=len(left.kept),
        of_fields=whole,
        tries=found.tries + left.tries,
        is_least=found.is_least and left.is_least,
    )


def _trimmed(plan: Plan, call: Call, result: Mapping[str, Any], most: int) -> tuple[Call, Least[Any], int]:
    """Return the call without the fields that the result does not rest on, what is left of them, and how many there were."""
    spans, turns = call.spans or (), call.transcript or ()
    every = [(place, path) for place, span in enumerate(spans) for path in paths(span.data)]
    # words are no field of a record, and are dropped the same way: -1 - place is a turn's
    every += [(-1 - turn.index, ("words",)) for turn in turns if turn.words]

    def without(kept: Iterable[tuple[int, tuple[str, ...]]]) -> Call:
        by_place: dict[int, set[tuple[str, ...]]] = {}
        for place, path in kept:
            by_place.setdefault(place, set()).add(path)
        fewer = [replace(s, data=pruned(s.data, by_place.get(place, set()))) for place, s in enumerate(spans)]
        bare = [turn if -1 - turn.index in by_place else replace(turn, words=()) for turn in turns]
        return _like(
            call,
            None if call.transcript is None else tuple(bare),
            None if call.spans is None else tuple(fewer),
            call.state_adapter,
        )

    left = least(every, lambda kept: judge(plan, without(kept))[-1] == result, most)
    return without(left.kept), left, len(every)


def part_of(plan: Plan, assertion: str) -> Plan:
    """Return a plan of one assertion, which comes last, and of those that it waits for. Raise UsageError where there is none."""
    by_id = {node.id: node for node in plan.nodes}
    if assertion not in by_id:
        from hotato.document.guess import Guesser

        said = f"no assertion has the id '{assertion}'"
        guess = Guesser().nearest(assertion, list(by_id))
        raise UsageError(Problem(code="unknown_reference", file="shrink", message=said, guess=guess))
    wanted, left = {assertion}, [assertion]
    while left:
        node = by_id[left.pop()]
        more = {*node.when, *node.refs} - wanted
        wanted |= more
        left += sorted(more)
    nodes = [plan.nodes[place] for place in plan.order if plan.nodes[place].id in wanted]
    nodes.sort(key=lambda node: node.id == assertion)
    return replace(plan, nodes=tuple(nodes), order=tuple(range(len(nodes))))


def _signs(results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(result["status"], result["code"]) for result in results]


def _ordered(call: Call) -> list[Turn | Span]:
    """Return turns and spans in the order of time where all have one, so that neighbours in time are dropped together."""
    items: list[Turn | Span] = [*(call.transcript or ()), *(call.spans or ())]
    if all(item.start is not None for item in items):
        items.sort(key=lambda item: item.start or 0.0)
    return items


def _of(call: Call, kept: Iterable[Turn | Span]) -> Call:
    """Return a call of some of its turns and spans, in the order of the input and numbered anew."""
    ordered = sorted(kept, key=lambda item: item.index)
    turns = [one for one in ordered if isinstance(one, Turn)]
    spans = [one for one in ordered if isinstance(one, Span)]
    return _like(
        call,
        None if call.transcript is None else tuple(replace(turn, index=place) for place, turn in enumerate(turns)),
        None if call.spans is None else tuple(replace(span, index=place) for place, span in enumerate(spans)),
        call.state_adapter,
    )


def _like(
    call: Call, turns: tuple[Turn, ...] | None, spans: tuple[Span, ...] | None, adapter: StateAdapter | None
) -> Call:
    return Call(
        transcript=turns,
        spans=spans,
        timing=call.timing,
        state_adapter=adapter,
        captures=call.captures,
        audit=call.audit,
    )


class _Once:
    """A system of record that is asked each question once, whatever the answer."""

    def __init__(self, adapter: StateAdapter) -> None:
        self._adapter = adapter
        self._known: dict[str, Any] = {}

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        """Return the record. Raise what the system raised when it was asked."""
        key = codec.encode([resource, sorted(filters.items())])
        if key not in self._known:
            try:
                self._known[key] = self._adapter.query(resource, **filters)
            except StateAdapterError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, StateAdapterError):
            raise found
        return found  # type: ignore[no-any-return]  # what an adapter answers, which is checked where it is read

"""Tool calls and their results, which sources record apart: paired by id, else by tool and order, into one span each."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

import msgspec

from hotato.importers._clock import MS, number_ns, window
from hotato.importers._notes import Lost
from hotato.importers._payload import argument_fields

UNKNOWN_TOOL = "unknown"
_ANY = "\0"  # stands for every tool; no name of a tool can be this
_MOST_LOOKED_AT = 64


class Answer(msgspec.Struct, kw_only=True):
    """A result as the source has it.

    `has_result` is false where the source says that there was none; `at` is in nanoseconds. `error` is the text of an
    explicit error, true where the source marks one and says nothing more, None where it says nothing.
    """

    id: str | None = None
    name: str | None = None
    at: int | None = None
    result: Any = None
    has_result: bool = True
    error: str | bool | None = None
    latency_ms: float | None = None
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    position: int = 0
    said: int = 0


class Asked(msgspec.Struct, kw_only=True):
    """A call as the source has it, and its answer once it is found; `at` is in nanoseconds.

    `fields` holds the arguments as they go onto the span, `inferred` says that `at` was put between neighbours.
    """

    id: str | None
    name: str | None
    fields: dict[str, Any]
    at: int | None = None
    inferred: bool = False
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    position: int = 0
    said: int = 0
    answer: Answer | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """Return what the tool was called with, `{}` where that is no object."""
        found = self.fields.get("arguments")
        return found if type(found) is dict else {}

    @property
    def result(self) -> dict[str, Any]:
        """Return what the tool answered, `{}` where that is no object."""
        found = self.answer.result if self.answer is not None else None
        return found if type(found) is dict else {}


class Calls:
    """The calls and results of one source, in the order in which they are recorded.

    With `same_id_is_same_call`, a source that tells each fact several times, a second record of an id completes the first;
    otherwise it is a call of its own, since two calls must never be counted as one. `turns` are those of a source without
    a clock, to which turns are added as they come: turns and spans are then counted together (`seq`).
    """

    def __init__(
        self, lost: Lost, *, same_id_is_same_call: bool = False, turns: list[dict[str, Any]] | None = None
    ) -> None:
        self._lost = lost
        self._same = same_id_is_same_call
        self._by_id: dict[str, list[Asked]] = {}
        self._position = 0
        self.asked: list[Asked] = []
        self.answers: list[Answer] = []
        self._left: list[Answer] = []
        self._beside: list[tuple[int, int, dict[str, Any]]] = []
        self._turns = turns

    def call(
        self,
        id: str | None,  # noqa: A002
        name: str | None,
        arguments: Any,
        *,
        at: int | None = None,
        inferred: bool = False,
        **extra: Any,
    ) -> Asked:
        """Record a call with its arguments as the source has them; return it, to be read once paired."""
        self._position += 1
        before = self._by_id.get(id, []) if id is not None else []
        if before and self._same:
            return self._again(before[0], name, arguments, at)
        self._lost["call_id_repeated"] += bool(before)
        asked = Asked(
            id=id,
            name=name,
            fields=argument_fields(arguments, self._lost),
            at=at,
            inferred=inferred,
            extra={key: value for key, value in extra.items() if value is not None},
            position=self._position,
            said=self._said(),
        )
        self.asked.append(asked)
        if id is not None:
            self._by_id.setdefault(id, []).append(asked)
        return asked

    def _again(self, asked: Asked, name: str | None, arguments: Any, at: int | None) -> Asked:
        asked.name = asked.name or name
        if arguments is not None and not asked.fields.get("arguments"):
            heard = Lost()
            fields = argument_fields(arguments, heard)
            if fields and fields != asked.fields:
                self._lost.update(heard)
                self._lost["arguments_missing"] -= not asked.fields
                asked.fields = fields
        if at is not None and (asked.at is None or at < asked.at):
            asked.at, asked.inferred = at, False
        return asked

    def result(self, answer: Answer) -> None:
        """Record a result."""
        self._position += 1
        answer.position, answer.said = self._position, self._said()
        self.answers.append(answer)

    def also(self, span: dict[str, Any] | None, of: Asked | None = None) -> None:
        """Record a span of another kind: here among the calls, or right after one of them. None is no span."""
        if span is not None:
            self._position += of is None
            place = (self._position, self._said()) if of is None else (of.position, of.said)
            self._beside.append((*place, span))

    def _said(self) -> int:
        return 0 if self._turns is None else len(self._turns)

    def pair(self) -> None:
        """Give each result recorded so far to its call."""
        unanswered = _Open([asked for asked in self.asked if asked.answer is None])
        for answer in self.answers:
            same = self._by_id.get(answer.id, []) if answer.id is not None else []
            if same:
                found = unanswered.of_id(answer)
                if found is None:
                    self._lost["result_repeated"] += not self._same or not _agree(same[0].answer, answer)
                    continue
            else:
                found = unanswered.of_order(answer)
                self._lost["paired_by_order"] += found is not None
            if found is None:
                self._lost["result_unpaired"] += 1
                self._left.append(answer)
            else:
                found.answer = answer
        self.answers = []

    def spans(self, origin: int) -> list[dict[str, Any]]:
        """Pair, and return all spans as they were recorded.

        A span for each call, one for each result that names a tool and belongs to no call, and those recorded beside.
        """
        self.pair()
        self._lost["call_unanswered"] += sum(asked.answer is None for asked in self.asked)
        made = [(asked.position, asked.said, self._span(asked, origin)) for asked in self.asked]
        for answer in self._left:
            if answer.name is not None:
                alone = Asked(id=answer.id, name=answer.name, fields={}, answer=answer, position=answer.position)
                self._lost["arguments_missing"] += 1
                made.append((answer.position, answer.said, self._span(alone, origin)))
        rows = sorted([*made, *self._beside], key=lambda row: row[0])
        if self._turns and rows:
            _count(self._turns, rows)
        return [span for _, _, span in rows]

    def _span(self, asked: Asked, origin: int) -> dict[str, Any]:
        self._lost["tool_name_missing"] += not asked.name
        span: dict[str, Any] = {"type": "tool_call", "name": asked.name or UNKNOWN_TOOL}
        answer = asked.answer
        # an inferred start has no end beside it, since the difference would pass for a measured latency
        span.update(window(asked.at, end_of(asked), origin, self._lost))
        if asked.inferred:
            self._lost["time_inferred"] += 1
            span["time_inferred"] = True
        if asked.id is not None:
            span["tool_call_id"] = asked.id
        span.update(asked.fields)
        if answer is not None:
            if answer.has_result:
                span["result"] = answer.result
            if answer.error is not None and answer.error is not False:
                span["error"] = answer.error
            if answer.latency_ms is not None:
                span["latency_ms"] = answer.latency_ms
            span.update(answer.extra)
        span.update(asked.extra)
        return span


def _count(turns: list[dict[str, Any]], rows: list[tuple[int, int, dict[str, Any]]]) -> None:
    """Give turns and spans numbers of one count; each row tells how many turns had been said before its span."""
    number = placed = 0
    for after, turn in enumerate([*turns, None]):
        while placed < len(rows) and rows[placed][1] <= after:
            rows[placed][2]["seq"] = number
            number, placed = number + 1, placed + 1
        if turn is not None:
            turn["seq"] = number
            number += 1


def end_of(asked: Asked) -> int | None:
    """Return when a call was answered: as recorded, or as its recorded latency tells."""
    answer = asked.answer
    if answer is None or asked.inferred:
        return None
    if answer.at is None and answer.latency_ms is not None and asked.at is not None:
        taken = number_ns(answer.latency_ms, MS)
        return None if taken is None or taken < 0 else asked.at + taken
    return answer.at


class _Open:
    """The calls that wait for a result, found by id, or by tool and order, without looking through all of them."""

    def __init__(self, calls: list[Asked]) -> None:
        self._by_id: dict[str, deque[Asked]] = {}
        self._by_tool: dict[tuple[bool, str | None], deque[Asked]] = {}
        for asked in calls:
            if asked.id is not None:
                self._by_id.setdefault(asked.id, deque()).append(asked)
            for key in _tool_keys(asked):
                self._by_tool.setdefault(key, deque()).append(asked)

    def of_id(self, answer: Answer) -> Asked | None:
        """Return the first open call of a result's id: of those that share it, the first of the result's tool."""
        waiting = self._by_id.get(answer.id or "", deque())
        _drop_answered(waiting)
        near = [asked for asked in islice(waiting, _MOST_LOOKED_AT) if asked.answer is None]
        return next((asked for asked in near if answer.name in (None, asked.name)), near[0] if near else None)

    def of_order(self, answer: Answer) -> Asked | None:
        """Return the first open call that comes before a result and can be its call although no id says so.

        A result with an id is not given to a call with another.
        """
        idless = answer.id is not None
        names = (_ANY,) if answer.name is None else (answer.name, None)
        heads = []
        for name in names:
            waiting = self._by_tool.get((idless, name), deque())
            _drop_answered(waiting)
            heads += [waiting[0]] if waiting and waiting[0].position < answer.position else []
        return min(heads, key=lambda asked: asked.position, default=None)


def _tool_keys(asked: Asked) -> list[tuple[bool, str | None]]:
    """Return under what a call is found: among all calls and, if it has no id, among those, by its tool and by any."""
    among = (False, True) if asked.id is None else (False,)
    return [(idless, name) for idless in among for name in (asked.name, _ANY)]


def _drop_answered(waiting: deque[Asked]) -> None:
    while waiting and waiting[0].answer is not None:
        waiting.popleft()


def _agree(one: Answer | None, other: Answer) -> bool:
    return one is not None and (one.result == other.result or not one.has_result or not other.has_result)

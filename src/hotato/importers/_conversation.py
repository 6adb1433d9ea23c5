"""A conversation put together from the requests to a model, each of which repeats what was said before.

Every thing said, called and answered is taken once. A request that goes on from the one before is lined up with it; one
that does not (another agent, a history cut short) is compared by what it holds and how often.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from hotato.importers._dialect_item import Item
from hotato.importers._dialect_messages import Histories, answered, asked
from hotato.importers._notes import Lost
from hotato.importers._raw import Raw, Tree

MOST_PLACES = 64
_MARKS = {"IN_PROGRESS": "open", "COMPLETED": "empty", "CANCELLED": "cancelled"}


class Call(msgspec.Struct, kw_only=True):
    """A tool call that messages tell of. `at` is when it was asked for, as near as the requests tell, in nanoseconds."""

    item: Item
    at: int | None
    carrier: Raw
    result: Any = None
    has_result: bool = False
    is_answered: bool = False
    status: str | None = None


class Saying(msgspec.Struct):
    """Something said: role, what was heard, and what was planned where the history was cut after an interruption."""

    who: str
    text: str
    planned: str | None = None
    at: int | None = None


class Story:
    """What the requests of one call tell, in order."""

    def __init__(self, carriers: list[Raw], tree: Tree, lost: Lost) -> None:
        self.said: list[Saying] = []
        self.calls: list[Call] = []
        self._lost = lost
        self._known: list[tuple[Item, Saying | None]] = []
        self._told: Counter[tuple[str, ...]] = Counter()
        self._by_id: dict[str, Call] = {}
        self._last_end: int | None = None
        ordered = sorted(carriers, key=lambda s: (s.start is None, s.start or 0, tree.depth(s), s.trace, s.id))
        inputs, outputs = _read(ordered, tree, lost)
        seen: dict[Any, Raw] = {}
        alone = len({span.scope for span in ordered}) < 2  # one library tells nothing twice
        for span in ordered:
            told, said = inputs.get(id(span), []), outputs.get(id(span), [])
            self._asked(told, span)
            if said and alone:
                self._answered(said, span)
            elif said:
                key = (tuple(item.key for item in told), tuple(item.key for item in said))
                twin = seen.setdefault(key, span)
                if twin is span or not _same_time(twin, span):
                    self._answered(said, span)
            if span.end is not None:
                self._last_end = max(self._last_end or 0, span.end)

    def _asked(self, told: list[Item], span: Raw) -> None:
        if not told:
            return
        start = self._aligned(told)
        here: Counter[tuple[str, ...]] = Counter()
        row = self._known[:start] if start is not None else []
        self._lost["history_repeated"] += start or 0
        for item in told[start or 0 :]:
            key = item.key
            here[key] += 1
            saying = None
            if start is not None or here[key] > self._told[key]:
                saying = self._take(item, span, self._last_end or span.start, span.start)
            else:
                self._lost["history_repeated"] += 1
            row.append((item, saying))
        self._known = row

    def _aligned(self, told: list[Item]) -> int | None:
        """Return how many items at the head of a request are known; None where it does not go on from the one before."""
        known = self._known
        if not known:
            return None
        count = len(known)
        if count <= len(told) and _agree(known, told):
            return count
        head = told[0].key
        places = [i for i in range(max(0, count - len(told)), count) if known[i][0].key == head][:MOST_PLACES]
        for place in places:
            if _agree(known[place:], told):
                self._known = known[place:]
                return count - place
        return None

    def _answered(self, said: list[Item], span: Raw) -> None:
        for item in said:
            asked_at = span.start if span.end is None else span.end
            self._known.append((item, self._take(item, span, asked_at, span.end)))

    def _take(self, item: Item, span: Raw, asked_at: int | None, at: int | None) -> Saying | None:
        """Take a new item; return what was said where it is something said."""
        self._told[item.key] += 1
        if item.kind == "text":
            saying = Saying(item.who, item.text, None, at)
            self.said.append(saying)
            return saying
        if item.kind == "call":
            if item.id is None or item.id not in self._by_id:
                call = Call(item=item, at=asked_at, carrier=span)
                self.calls.append(call)
                if item.id is not None:
                    self._by_id[item.id] = call
            elif self._by_id[item.id].item.value is None:
                self._by_id[item.id].item = item
            return None
        self._result(item)
        return None

    def _result(self, item: Item) -> None:
        mark = _MARKS.get(item.value.strip()) if type(item.value) is str else None
        if mark == "open":
            self._told[item.key] -= 1
            return
        call = self._by_id.get(item.id or "")
        if call is None and item.id is None:
            call = next((c for c in self.calls if not c.is_answered and item.name in (None, c.item.name)), None)
            self._lost["paired_by_order"] += call is not None
        if call is None:
            self._lost["result_unpaired"] += 1
        elif not call.is_answered:
            call.is_answered = True
            call.status = "cancelled" if mark == "cancelled" else None
            if mark is None:
                call.result, call.has_result = item.value, True


def _agree(known: list[tuple[Item, Saying | None]], told: list[Item]) -> bool:
    """Say whether a request begins with what is known."""
    for before, item in zip(known, told, strict=False):
        if before[0] is not item and not _is_same(before, item):
            return False
    return True


def _is_same(known: tuple[Item, Saying | None], item: Item) -> bool:
    """Say whether an item of a request is the known one, and mark what was said where its end is missing now."""
    before, saying = known
    if before.key == item.key:
        return True
    if before.kind != "text" or item.kind != "text" or before.who != item.who or before.who != "agent":
        return False
    heard = item.text.rstrip(" .\u2026")
    if not heard or not before.text.startswith(heard):
        return False
    if saying is not None and saying.planned is None:
        saying.text, saying.planned = item.text, before.text
    return True


def _read(spans: list[Raw], tree: Tree, lost: Lost) -> tuple[dict[int, list[Item]], dict[int, list[Item]]]:
    """Return what each span asked and answered; nothing of a span below which another library's span tells the same."""
    inputs: dict[int, list[Item]] = {}
    histories = Histories()
    outputs: dict[int, list[Item]] = {}
    for span in sorted(spans, key=lambda one: -tree.depth(one)):
        above = [id(one) for one in tree.above(span)]
        for found in (inputs, outputs):
            if id(span) in found:
                continue
            items = asked(span, histories) if found is inputs else answered(span)
            if any(item.kind == "odd" for item in items):
                items = [item for item in items if item.kind != "odd"]
                # what Langfuse calls a generation may be any step; of the attributes for messages the shapes are known
                lost["entries_unknown" if "langfuse.observation.type" in span.attrs else "messages_unreadable"] += 1
            if items:
                found[id(span)] = items
                for one in above:
                    found.setdefault(one, [])
    return inputs, outputs


def _same_time(one: Raw, other: Raw) -> bool:
    if one.scope == other.scope or one.start is None or other.start is None:
        return False
    return other.start <= (one.end or one.start) and one.start <= (other.end or other.start)

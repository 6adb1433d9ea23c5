"""What assertions of one document say against one another: one requires what another forbids, or waits for what never is.

Only what is sure is told. Assertions with different conditions may both be right, each on calls of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.kinds import tag
from hotato.kinds._kind import Kind

_Warning = tuple[str, str, str, str]  # code, field, message, guess
_Bounds = tuple[int, int | None]  # at least, at most
_NO_CHECK = frozenset({"id", "description", "severity", "tags", "dimension", "when"})


def siblings(specs: Sequence[Kind], dead: set[str]) -> list[list[_Warning]]:
    """Return the warnings of each assertion; `dead` are the ids of those that no call makes pass."""
    found: list[list[_Warning]] = [[] for _ in specs]
    against: dict[str, set[str]] = {}
    for claims in (_amounts(specs), _opposites(specs)):
        for place, other, said in claims:
            found[place].append(("contradicts", "", said, ""))
            first, second = specs[place].id, specs[other].id
            against.setdefault(first, set()).add(second)
            against.setdefault(second, set()).add(first)
    waits = {spec.id: _conditions(spec) for spec in specs}
    for place, spec in enumerate(specs):
        needed = _all_needed(spec.id, waits)
        never = next((one for one in needed if one in dead), "")
        pair = next(((a, b) for a in needed for b in needed if b in against.get(a, ())), None)
        if never:
            found[place].append(("never_reached", "when", f"it waits for '{never}', which never passes", ""))
        elif pair is not None:
            said = f"it waits for '{pair[0]}' and '{pair[1]}', which cannot both pass"
            found[place].append(("never_reached", "when", said, ""))
    return found


def _conditions(spec: Kind) -> tuple[str, ...]:
    when = spec.when
    return () if when is None else (when,) if isinstance(when, str) else tuple(when)


def _all_needed(ident: str, waits: Mapping[str, Sequence[str]]) -> list[str]:
    """Return all that must pass before an assertion is judged, in the order of the conditions."""
    needed: list[str] = []
    pending = list(reversed(waits[ident]))
    while pending:
        one = pending.pop()
        if one not in needed:
            needed.append(one)
            pending.extend(reversed(waits.get(one, ())))
    return needed


def _amounts(specs: Sequence[Kind]) -> Iterator[tuple[int, int, str]]:
    """Yield pairs that allow no common number of calls of a tool, under the same condition."""
    seen: dict[tuple[str, tuple[str, ...]], list[tuple[int, _Bounds]]] = {}
    for place, spec in enumerate(specs):
        for tool, bounds in _calls(spec):
            others = seen.setdefault((tool, _conditions(spec)), [])
            for other, its in others:
                low = max(bounds[0], its[0])
                high = min((most for most in (bounds[1], its[1]) if most is not None), default=None)
                if other != place and high is not None and low > high:
                    said = f"cannot hold where '{specs[other].id}' does: {_told(tool, bounds)}, and there {_told(tool, its)}"
                    yield place, other, said
                    break
            others.append((place, bounds))


def _told(tool: str, bounds: _Bounds) -> str:
    low, high = bounds
    if high is None:
        return f"{tool} is called at least {low} time{'s' if low != 1 else ''}"
    if high == 0:
        return f"{tool} is never called"
    return f"{tool} is called {low} to {high} times" if low else f"{tool} is called at most {high} times"


def _calls(spec: Any) -> Iterator[tuple[str, _Bounds]]:
    """Yield how often an assertion that holds has a tool called, whatever the arguments."""
    kind = tag(type(spec))
    if kind == "tool_call":
        if spec.name is not None:
            low, high = _bounds(spec.count, 1)
            # of calls with these arguments alone there may be so many; without them there may be more
            yield spec.name, (low, high if spec.args_subset is None else None)
        for tool in dict.fromkeys(spec.require_order or ()):
            yield tool, (spec.require_order.count(tool), None)
    elif kind == "count" and spec.tool is not None:
        yield spec.tool, _bounds(spec.count, 0)
    elif kind == "sequence":
        steps = [step.tool for step in spec.steps if getattr(step, "tool", None)]
        for tool in dict.fromkeys(steps):
            yield tool, (steps.count(tool), None)
    elif kind == "tool_result" and getattr(spec, "name", None):
        yield spec.name, (1, None)


def _bounds(count: Any, without: int) -> _Bounds:
    if count is None:
        return without, None
    if isinstance(count, int):
        return count, count
    return count.min or 0, count.max


def _opposites(specs: Sequence[Kind]) -> Iterator[tuple[int, int, str]]:
    """Yield pairs of one kind that say the same, but for `absent`, under the same condition."""
    seen: dict[tuple[bytes, tuple[str, ...]], dict[bool, int]] = {}
    for place, spec in enumerate(specs):
        absent = getattr(spec, "absent", None)
        if not isinstance(absent, bool):
            continue
        fields = {k: v for k, v in msgspec.to_builtins(spec).items() if k not in _NO_CHECK and k != "absent"}
        same = seen.setdefault((msgspec.json.encode(fields, order="deterministic"), _conditions(spec)), {})
        if (not absent) in same:
            other = same[not absent]
            yield place, other, f"cannot hold where '{specs[other].id}' does: one requires what the other forbids"
        same.setdefault(absent, place)

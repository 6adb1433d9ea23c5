"""Two runs of the same checks side by side: what newly fails, what was fixed, and what rests on other evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from hotato.errors import Problem, UsageError
from hotato.model import codec

# in the order in which they are told; the first matters most
CHANGES = {
    "newly_failing": "newly failing",
    "newly_inconclusive": "newly inconclusive",
    "newly_vacuous": "passing still, but of nothing now",
    "still_failing": "still failing",
    "fixed": "fixed",
    "newly_conclusive": "inconclusive before, passing now",
    "changed_evidence": "the same verdict on other evidence",
    "added": "only in the new run",
    "removed": "only in the base run",
}
_OF_THE_DOCUMENT = frozenset({"id", "status", "deterministic", "dimension", "severity", "tags", "description"})


class Change(msgspec.Struct, frozen=True):
    """One assertion in two runs. `before` and `after` are its statuses, None where a run has no such assertion.

    `call` is the id of its call, empty where a run is of one call. `fields` names what is not the same in the two
    results. `reason` is what the new run says, or the base run where the new one has it no more.
    """

    call: str
    id: str
    kind: str
    before: str | None
    after: str | None
    fields: tuple[str, ...]
    reason: str

    @property
    def name(self) -> str:
        """Return the assertion's id, after that of its call if there is one."""
        return f"{self.call}: {self.id}" if self.call else self.id


Comparison = dict[str, tuple[Change, ...]]


def compare(base: Mapping[str, Any], new: Mapping[str, Any]) -> Comparison:
    """Return for each of CHANGES what falls under it, in the order of the new envelope, then of the base.

    Both are checked assert.v1 envelopes. An assertion may fall under several: one that is added and fails is `added` and
    `newly_failing`. Raise UsageError where an id stands twice in an envelope, so that nothing tells which is which.
    """
    return compare_calls({"": base}, {"": new})


def compare_calls(
    base: Mapping[str, Mapping[str, Any]],
    new: Mapping[str, Mapping[str, Any]],
    names: tuple[str, str] = ("base", "new"),
) -> Comparison:
    """Return what `compare` does of many calls: call id -> envelope in either run. `names` are theirs in messages."""
    before, after = _by_id(base, names[0]), _by_id(new, names[1])
    found: dict[str, list[Change]] = {name: [] for name in CHANGES}
    for key in [*after, *(key for key in before if key not in after)]:
        change = _change(key, before.get(key), after.get(key))
        for name in _falls_under(change, before.get(key), after.get(key)):
            found[name].append(change)
    return {name: tuple(changes) for name, changes in found.items()}


def as_data(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data, for JSON."""
    return {
        name: [
            {
                **({"call_id": change.call} if change.call else {}),
                "id": change.id,
                "kind": change.kind,
                "before": change.before,
                "after": change.after,
                "changed": list(change.fields),
                **({"reason": change.reason} if change.reason else {}),
            }
            for change in changes
        ]
        for name, changes in comparison.items()
    }


def lines(comparison: Comparison) -> list[str]:
    """Return a comparison as lines of text, counts last; not yet safe to print."""
    out: list[str] = []
    for name, changes in comparison.items():
        if changes:
            out.append(f"{CHANGES[name]}:")
            out += [f"  {line}" for change in changes for line in _told(name, change)]
            out.append("")
    counts = ", ".join(f"{len(changes)} {CHANGES[name]}" for name, changes in comparison.items() if changes)
    return [*out, f"against base: {counts or 'no change'}"]


def _told(name: str, change: Change) -> Iterable[str]:
    """Yield the lines of one change."""
    statuses = f"{change.before or 'absent'} -> {change.after or 'absent'}"
    same = f" (changed: {', '.join(change.fields)})" if name == "changed_evidence" else ""
    yield f"{change.name}  {change.kind}  {statuses}{same}"
    if change.reason and name in ("newly_failing", "newly_inconclusive", "newly_vacuous"):
        yield f"  {change.reason}"


def _by_id(calls: Mapping[str, Mapping[str, Any]], name: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for call, envelope in calls.items():
        for place, result in enumerate(envelope["results"]):
            key = call, str(result["id"])
            if key in found:
                said = "an id that stands twice, so that nothing tells which result is to be compared"
                raise UsageError(Problem(code="envelope", file=name, path=f"results[{place}].id", message=said))
            found[key] = result
    return found


def _change(key: tuple[str, str], before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Change:
    told = after if after is not None else before or {}
    fields: tuple[str, ...] = ()
    if before is not None and after is not None:
        names = dict.fromkeys([*before, *after])
        fields = tuple(
            name for name in names if name not in _OF_THE_DOCUMENT and not _equal(before.get(name), after.get(name))
        )
    return Change(
        key[0],
        key[1],
        told["kind"],
        None if before is None else before["status"],
        None if after is None else after["status"],
        fields,
        told.get("reason", ""),
    )


def _equal(one: Any, other: Any) -> bool:
    """Say whether two values are the same as JSON has them: 1 is not true."""
    return one is other or codec.encode(one) == codec.encode(other)


def _falls_under(change: Change, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterable[str]:
    was, now = change.before, change.after
    if after is None:
        yield "removed"
        return
    if before is None:
        yield "added"
    if now == "FAIL":
        yield "still_failing" if was == "FAIL" else "newly_failing"
    elif now == "INCONCLUSIVE" and was != "INCONCLUSIVE":
        yield "newly_inconclusive"
    elif now == "PASS":
        if was in ("FAIL", "INCONCLUSIVE"):
            yield "fixed" if was == "FAIL" else "newly_conclusive"
        if after.get("vacuous") and not (before or {}).get("vacuous"):
            yield "newly_vacuous"
    if was == now and change.fields:
        yield "changed_evidence"

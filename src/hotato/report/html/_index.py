"""The index of many calls: how each check fared over all of them, what is slow, what newly fails, and every call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from hotato.report import compare
from hotato.report._view import checked
from hotato.report.html import _shown

MOST_SLOW = 20
MOST_NEW = 200
MOST_NAMED = 6  # failing checks named beside a call
_PLACES = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 2}


class Check(NamedTuple):
    """An assertion, or a dimension, over all calls: `counts` are pass, fail and inconclusive."""

    id: str
    kind: str
    dimension: str
    counts: list[int]


class Slow(NamedTuple):
    """A measurement of a call, in milliseconds."""

    call: str
    href: str
    id: str
    ms: float
    status: str


class New(NamedTuple):
    """A check that failed on a call and did not in the base."""

    call: str
    href: str
    id: str
    before: str
    reason: str


class CallRow(NamedTuple):
    """A call: its counts, its exit code, and the first checks that failed."""

    call: str
    href: str
    counts: list[int]
    exit_code: int
    failed: list[str]
    more: int


class Index(NamedTuple):
    """All that the page shows. `more_calls` is the number of calls that are counted and not listed."""

    calls: list[CallRow]
    totals: list[int]
    checks: list[Check]
    dimensions: list[Check]
    slow: list[Slow]
    new: list[New]
    more_new: int
    compared: int
    more_calls: int = 0


def collect(rows: Sequence[Mapping[str, Any]]) -> Index:
    """Return what an index shows. Raise UsageError, a ValueError, where a row's envelope is none."""
    checks: dict[tuple[str, str], Check] = {}
    dimensions: dict[str, Check] = {}
    calls: list[CallRow] = []
    slow: list[Slow] = []
    new: list[New] = []
    totals, compared = [0, 0, 0], 0
    for row in rows:
        call, href = str(row["call_id"]), safe_href(row.get("href"))
        envelope = checked(row["envelope"], f"envelope of {call}")
        counts = [0, 0, 0]
        for result in envelope["results"]:
            place, dimension = _PLACES[result["status"]], result.get("dimension", "none")
            key = result["id"], result["kind"]
            check = checks.setdefault(key, Check(*key, dimension, [0, 0, 0]))
            for count in (counts, totals, check.counts, _of(dimensions, dimension).counts):
                count[place] += 1
            if "measured_ms" in result:
                slow.append(Slow(call, href, result["id"], result["measured_ms"], result["status"]))
        failed = [result["id"] for result in envelope["results"] if result["status"] == "FAIL"]
        more = max(0, len(failed) - MOST_NAMED)
        calls.append(CallRow(call, href, counts, envelope["exit_code"], failed[:MOST_NAMED], more))
        if row.get("base") is not None:
            compared += 1
            found = compare.compare(checked(row["base"], f"base of {call}"), envelope)["newly_failing"]
            new += [New(call, href, one.id, one.before or "absent", one.reason) for one in found]
    return Index(
        calls=sorted(calls, key=lambda one: (-one.counts[1], -one.counts[2], one.call)),
        totals=totals,
        checks=sorted(checks.values(), key=lambda one: (-one.counts[1], -one.counts[2], one.id, one.kind)),
        dimensions=sorted(dimensions.values(), key=lambda one: (one.id == "none", one.id)),
        slow=sorted(slow, key=lambda one: (-one.ms, one.call, one.id))[:MOST_SLOW],
        new=new[:MOST_NEW],
        more_new=max(0, len(new) - MOST_NEW),
        compared=compared,
    )


def _of(dimensions: dict[str, Check], name: str) -> Check:
    return dimensions.setdefault(name, Check(name, "", name, [0, 0, 0]))


def safe_href(value: Any) -> str:
    """Return a link to a file beside the page, percent-encoded; empty for anything that leads elsewhere."""
    text = "" if value is None else str(value)
    if not text or re.match(r"[\s\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-]*:|[/\\])", text) or _shown.visible(text) != text:
        return ""
    path, mark, anchor = text.partition("#")
    return quote(path, safe="/._-~") + (mark + quote(anchor, safe="._-") if mark else "")

"""What points at what: each result at the turns and spans that it rests on, and each of these back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hotato.report._view import View

MOST_LINKS = 24  # of one result, and of one turn or span
RANK = {"FAIL": 0, "ERROR": 1, "INCONCLUSIVE": 2, "PASS": 3}
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")


class Link(NamedTuple):
    """Something that is pointed at. `anchor` is empty where it is not on the page; `tone` is a status."""

    label: str
    anchor: str = ""
    note: str = ""
    tone: str = ""


class Links(NamedTuple):
    """All pointers of a page.

    - `anchors`: one a result, in the order of the envelope; `by_id`: the place in it of each assertion.
    - `ahead`: for each result what it rests on, without repeats. `back`: anchor of a turn or span -> places of results.
    """

    anchors: list[str]
    by_id: dict[str, int]
    ahead: list[list[Link]]
    back: dict[str, list[int]]


def collect(view: View) -> Links:
    """Return the pointers of an envelope's results into the call that is shown."""
    results = view.envelope["results"] if view.envelope else []
    there = {f"t-{turn['turn']}" for turn in view.transcript or ()} | {span["id"] for span in view.spans or ()}
    anchors: list[str] = []
    by_id: dict[str, int] = {}
    ahead: list[list[Link]] = []
    back: dict[str, list[int]] = {}
    for place, result in enumerate(results):
        fresh = result["id"] not in by_id
        by_id.setdefault(result["id"], place)
        anchors.append(f"r-{result['id']}" if fresh and _PLAIN.match(result["id"]) else f"n.{place}")
        found: dict[str, Link] = {}
        for anchor, label, note in evidence(result):
            found.setdefault(anchor, Link(label, anchor if anchor in there else "", note))
        ahead.append(list(found.values()))
        for anchor in found:
            if anchor in there:
                back.setdefault(anchor, []).append(place)
    for places in back.values():
        places.sort(key=lambda place: RANK[results[place]["status"]])
    return Links(anchors, by_id, ahead, back)


def evidence(result: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the anchor, the label and the part of each turn and span that a result names."""
    for name, part in (("turn", ""), ("before_turn", "before"), ("after_turn", "after")):
        if name in result:
            yield f"t-{result[name]}", f"turn {result[name]}", part
    for turn in result.get("turns", ()):
        yield f"t-{turn}", f"turn {turn}", ""
    for hit in result.get("hits", ()):
        yield f"t-{hit['turn']}", f"turn {hit['turn']}", hit["detector"]
    for rule in result.get("matched_rules", ()):
        if rule["turn"] is not None:
            yield f"t-{rule['turn']}", f"turn {rule['turn']}", rule["rule"]
    near = result.get("closest", {}).get("span_id")
    if near is not None:
        yield near, near, "closest"
    for step in result.get("alignment", ()):
        if step["span_id"] is not None:
            yield step["span_id"], step["span_id"], step["state"].replace("_", " ")
    for span in result.get("span_ids", ()):
        yield span, span, ""


def backlinks(view: View, links: Links, anchor: str) -> tuple[list[Link], int]:
    """Return what rests on a turn or span, worst first, and how many more do than are listed."""
    results = view.envelope["results"] if view.envelope else []
    places = links.back.get(anchor, [])
    listed = [Link(results[p]["id"], links.anchors[p], "", results[p]["status"]) for p in places[:MOST_LINKS]]
    return listed, len(places) - len(listed)

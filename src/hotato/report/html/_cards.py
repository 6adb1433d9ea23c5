"""Results as cards: what every result has, and then whatever fields its kind added, each in its own form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hotato.report._view import View
from hotato.report.html import _shown
from hotato.report.html._links import MOST_LINKS, Link, Links

ORDER = ("FAIL", "ERROR", "INCONCLUSIVE", "PASS")
MOST_ROWS = 50  # of a table on a card
MOST_REDACTED = 400  # turns of a redacted transcript
DEEPEST = 6  # formulas within formulas

# Fields that a part of the card shows; any other field of a result is shown by its name.
_PARTS = frozenset(
    "id kind status deterministic dimension severity tags description code reason skipped vacuous turn before_turn "
    "after_turn span_ids closest alignment hits redacted_transcript pack matched_rules met of refs delta".split()
)
_UNITS = {"measured_ms": ("measured", " ms")}


class Node(NamedTuple):
    """A result that a formula reads, and what that reads in turn."""

    link: Link
    kind: str
    below: list[Node]


class Difference(NamedTuple):
    """One place at which what was recorded is not what was expected."""

    path: str
    expected: str
    expected_type: str
    observed: str
    observed_type: str


class Redacted(NamedTuple):
    """A turn with personal data masked."""

    number: str
    role: str
    text: str


class Card(NamedTuple):
    """One result. Empty fields are not shown; `rank` and `place` give its order; `change` is what a base says of it."""

    anchor: str
    place: int
    id: str
    kind: str
    status: str
    deterministic: str
    dimension: str
    severity: str
    tags: list[str]
    description: str
    code: str
    reason: str
    skipped: bool
    vacuous: bool
    written: str
    change: str
    facts: list[tuple[str, str]]
    evidence: list[Link]
    more_evidence: int
    closest: str
    differences: list[Difference]
    more_differences: int
    alignment: list[tuple[str, str, Link | None]]
    hits: list[tuple[str, str, Link]]
    rules: list[tuple[str, str, Link | None]]
    tree: list[Node]
    redacted: list[Redacted]
    more_redacted: int
    redacted_at: str


def cards(view: View, links: Links, changes: Mapping[str, str]) -> list[Card]:
    """Return a card for each result of the envelope, what failed first, then in the order of the document."""
    results = view.envelope["results"] if view.envelope else []
    shown: dict[str, str] = {}  # the text of a redacted transcript -> the card that shows it
    made = [_card(view, links, place, changes, shown) for place in range(len(results))]
    return sorted(made, key=lambda card: ORDER.index(card.status))


def _card(view: View, links: Links, place: int, changes: Mapping[str, str], shown: dict[str, str]) -> Card:
    result: dict[str, Any] = view.envelope["results"][place] if view.envelope else {}
    ahead = links.ahead[place]
    by_label = {link.label: link for link in ahead}
    near = result.get("closest", {})
    differences = near.get("differences", [])
    redacted, at = _redacted(result, links.anchors[place], shown)
    tops = result.get("alignment", [])[:MOST_ROWS]
    return Card(
        anchor=links.anchors[place],
        place=place,
        id=result["id"],
        kind=result["kind"],
        status=result["status"],
        deterministic="true",
        dimension=result.get("dimension", ""),
        severity=result.get("severity", ""),
        tags=list(result.get("tags", [])),
        description=result.get("description", ""),
        code=result["code"],
        reason=result.get("reason", ""),
        skipped="skipped" in result,
        vacuous="vacuous" in result,
        written=_written(view, result["id"]),
        change=changes.get(result["id"], ""),
        facts=list(_facts(result)),
        evidence=ahead[:MOST_LINKS],
        more_evidence=max(0, len(ahead) - MOST_LINKS),
        closest="" if not near else near.get("span_id", "record"),
        differences=[_difference(one) for one in differences[:MOST_ROWS]],
        more_differences=max(0, len(differences) - MOST_ROWS) + near.get("more", 0),
        alignment=[(_step(s), s["state"], by_label.get(s["span_id"] or "")) for s in tops],
        hits=[
            (hit["detector"], hit["role"], _turn(by_label, hit["turn"])) for hit in result.get("hits", [])[:MOST_ROWS]
        ],
        rules=[
            (rule["rule"], rule["type"], None if rule["turn"] is None else _turn(by_label, rule["turn"]))
            for rule in result.get("matched_rules", [])[:MOST_ROWS]
        ],
        tree=_tree(view, links, result, [MOST_ROWS], (result["id"],)),
        redacted=redacted[:MOST_REDACTED],
        more_redacted=max(0, len(redacted) - MOST_REDACTED),
        redacted_at=at,
    )


def _turn(by_label: Mapping[str, Link], turn: int) -> Link:
    return by_label[f"turn {turn}"]


def _written(view: View, name: str) -> str:
    place = (view.places or {}).get(name)
    if place is None:
        return ""
    return f"{place.file}:{place.line}" if place.line else place.file


def _facts(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the plain facts of a result, name and value: those with a form of their own, and all that have none."""
    if "met" in result and "of" in result:
        yield "met", f"{result['met']} of {result['of']}"
    if "pack" in result:
        yield "pack", f"{result['pack']['name']} {result['pack']['version']}"
    if "delta" in result:
        delta = result["delta"]
        change = f"{_shown.written(delta['before'])} \u2192 {_shown.written(delta['after'])}"
        yield delta["field"], change
    for name, value in result.items():
        if name == "contracts":
            yield "contracts", f"{value['passed']} of {value['total']} kept"
        elif name not in _PARTS:
            label, unit = _UNITS.get(name, (_shown.words(name), ""))
            yield label, (value if isinstance(value, str) else _shown.written(value)) + unit


def _difference(one: Mapping[str, Any]) -> Difference:
    missing = "observed" not in one
    return Difference(
        path=one["path"] or "value",
        expected=_shown.written(one["expected"]),
        expected_type=one["expected_type"],
        observed="" if missing else _shown.written(one["observed"]),
        observed_type="missing" if missing else one["observed_type"],
    )


def _step(step: Mapping[str, Any]) -> str:
    return f"tool {step['tool']}" if "tool" in step else f"span {step.get('span_type', '')}"


def _tree(view: View, links: Links, result: Mapping[str, Any], left: list[int], above: tuple[str, ...]) -> list[Node]:
    """Return what a formula reads. `left` counts down how many more are shown on the card; none is its own ancestor."""
    results = view.envelope["results"] if view.envelope else []
    nodes: list[Node] = []
    for name in result.get("refs", ()):
        if left[0] <= 0:
            break
        left[0] -= 1
        place = links.by_id.get(name)
        if place is None:
            nodes.append(Node(Link(name), "", []))
            continue
        link = Link(name, links.anchors[place], "", results[place]["status"])
        deeper = len(above) < DEEPEST and name not in above
        below = _tree(view, links, results[place], left, (*above, name)) if deeper else []
        nodes.append(Node(link, results[place]["kind"], below))
    return nodes


def _redacted(result: Mapping[str, Any], anchor: str, shown: dict[str, str]) -> tuple[list[Redacted], str]:
    """Return a redacted transcript, or where on the page the same one is already shown."""
    turns = result.get("redacted_transcript")
    if turns is None:
        return [], ""
    rows = [
        Redacted(str(turn.get("turn", number)), turn["role"], _shown.cut(turn["text"], _shown.MOST_VALUE)[0])
        for number, turn in enumerate(turns)
    ]
    same = shown.setdefault(repr(turns), anchor)
    return ([], same) if same != anchor else (rows, "")

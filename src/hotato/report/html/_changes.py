"""What a base says of a run: each result's change on its card, and all changes counted."""

from __future__ import annotations

from typing import NamedTuple

from hotato.report import compare
from hotato.report._view import View
from hotato.report.html._links import MOST_LINKS, Link, Links


class Group(NamedTuple):
    """One sort of change: its name, how many there are, and the first of them."""

    label: str
    number: int
    items: list[Link]


def changes(view: View, links: Links) -> tuple[list[Group], dict[str, str]]:
    """Return the sorts of change that occur, and assertion id -> what changed. Empty without a base."""
    if view.base is None or view.envelope is None:
        return [], {}
    results = view.envelope["results"]
    groups: list[Group] = []
    by_id: dict[str, list[str]] = {}
    for name, found in compare.compare(view.base, view.envelope).items():
        label = compare.CHANGES[name]
        items: list[Link] = []
        for change in found:
            place = links.by_id.get(change.id)
            by_id.setdefault(change.id, []).append(label)
            here = place is not None and change.after is not None
            anchor, tone = (links.anchors[place], results[place]["status"]) if here and place is not None else ("", "")
            items.append(Link(change.id, anchor, "", tone))
        if items:
            groups.append(Group(label, len(items), items[:MOST_LINKS]))
    return groups, {name: ", ".join(labels) for name, labels in by_id.items()}

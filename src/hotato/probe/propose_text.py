"""A proposal as the text of a document, with support and counter-examples as comments, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from hotato.document.write import to_yaml
from hotato.plan.text import safe
from hotato.probe.propose import Catch, Near, Proposal, Proposed

SCHEMA = "hotato.proposal.v1"
_MOST_LISTED = 5
_FIGURES = re.compile(r"[0-9]{5,}")  # a file may be named after the number that called


def to_text(proposal: Proposal, good: Sequence[str], bad: Sequence[str]) -> str:
    """Return the YAML text of the document; `good` and `bad` are the names of the calls, in their order."""
    lines = list(_head(proposal))
    lines += ["version: 1", "assertions:"]
    for one in proposal.proposed:
        lines += [f"# {line}" for line in _told(one, proposal, bad)]
        lines += to_yaml({"assertions": [one.assertion]}).rstrip("\n").split("\n")[1:]
    if proposal.near:
        lines += ["", "# Not proposed, since a good call fails it:"]
        lines += [f"#   {_near(one, proposal, good)}" for one in proposal.near]
    return "\n".join(lines) + "\n"


def to_json(proposal: Proposal, good: Sequence[str], bad: Sequence[str]) -> dict[str, Any]:
    """Return the document beside what is told of each assertion."""

    def catches(found: Sequence[Catch], names: Sequence[str]) -> list[dict[str, Any]]:
        return [{**msgspec.to_builtins(one), "file": _name(names[one.call])} for one in found]

    return {
        "ok": True,
        "schema": SCHEMA,
        "good": proposal.good,
        "bad": proposal.bad,
        "document": proposal.document,
        "proposed": [
            {
                "id": one.assertion["id"],
                "shown": list(one.shown),
                "catches": catches(one.catches, bad),
                "note": one.note,
            }
            for one in proposal.proposed
        ],
        "near": [{"id": one.id, "held": one.held, "fails": catches(one.fails, good)} for one in proposal.near],
    }


def _head(proposal: Proposal) -> Iterator[str]:
    count = f"{_many(proposal.good, 'good')}" + (f" and {_many(proposal.bad, 'bad')}" if proposal.bad else "")
    yield f"# Proposed from {count} calls; every good one passes it. Delete what is chance, and add what calls cannot show."
    if proposal.bad:
        caught = {one.call for row in proposal.proposed for one in row.catches}
        yield f"# Of the bad calls {len(caught)} of {proposal.bad} fail it."


def _told(one: Proposed, proposal: Proposal, bad: Sequence[str]) -> Iterator[str]:
    shown = f"shown by {len(one.shown)} of {_many(proposal.good, 'good call')}"
    if proposal.bad:
        shown += f"; fails {len(one.catches)} of {_many(proposal.bad, 'bad call')}"
    yield shown + (f": {_listed(one.catches, bad)}" if one.catches else "")
    if one.note:
        yield one.note


def _near(one: Near, proposal: Proposal, good: Sequence[str]) -> str:
    return f"{one.id}: {one.held} of {_many(proposal.good, 'good call')}; not {_listed(one.fails, good)}"


def _listed(found: Sequence[Catch], names: Sequence[str]) -> str:
    listed = [
        f"{_name(names[one.call])} ({one.code}{f', {one.where}' if one.where else ''})" for one in found[:_MOST_LISTED]
    ]
    more = len(found) - _MOST_LISTED
    return ", ".join(listed) + (f" and {more} more" if more > 0 else "")


def _name(name: str) -> str:
    """Return a file's name as a comment may hold it: on one line, and without long numbers."""
    return _FIGURES.sub("#", safe(name))


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("s" if noun.endswith("call") and count != 1 else "")

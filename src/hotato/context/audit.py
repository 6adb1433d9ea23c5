"""What was found in each source of a call, and what is known to be missing from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hotato.match.spans import ARGUMENTS, RESULTS
from hotato.match.text import PARTIES, fold_role, role_meant
from hotato.model.call import Span, Turn

MOST_ROLES = 4


def audit(
    transcript: Sequence[Turn] | None, spans: Sequence[Span] | None, sources: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a block for the transcript and one for the trace, each only where it was supplied.

    `sources` holds for `transcript` and `trace` what their reader knows: `format`, `captures` and `notes`, a list of
    `{code, message, count}`. Counts that are 0 and lists that are empty are left out. Nothing of what was said is told.
    """
    blocks: dict[str, Any] = {}
    if transcript is not None:
        roles = [turn.role for turn in transcript]
        counts = {
            "turns_without_time": len([1 for turn in transcript if turn.start is None]),
            "turns_ending_before_start": _backwards(transcript),
            "turns_of_other_roles": len(roles) - sum(map(roles.count, PARTIES)),
        }
        known = sources.get("transcript", {})
        if counts["turns_of_other_roles"]:
            known = _with_roles(known, roles)
        blocks["transcript"] = _block(known, "turns", len(roles), counts)
    if spans is not None:
        calls = [span.data for span in spans if span.type == "tool_call"]
        counts = {
            "spans_without_time": len([1 for span in spans if span.start is None]),
            "spans_ending_before_start": _backwards(spans),
            "calls": len(calls),
            "calls_without_arguments": _without(calls, *ARGUMENTS),
            "calls_without_result": _without(calls, *RESULTS, "error"),
            "calls_with_repeated_id": _repeated([data["id"] for data in calls if "id" in data]),
        }
        blocks["trace"] = _block(sources.get("trace", {}), "spans", len(spans), counts)
    return blocks


def _with_roles(known: Mapping[str, Any], roles: Sequence[str]) -> Mapping[str, Any]:
    """Return what is known of a transcript, noted where a role is nearly a party's or none is one, and it was not noted."""
    odd = {role: meant for role in set(roles).difference(PARTIES) if (meant := role_meant(role))}
    notes = known.get("notes") or []
    if any(note["code"] == "roles_unknown" for note in notes) or not (odd or not set(roles).intersection(PARTIES)):
        return known
    if odd:
        near = sorted(odd)
        named = ", ".join(f"'{role}' (nearly '{odd[role]}')" for role in near[:MOST_ROLES])
        said = f"turns are of neither party: {named}; --map-role {near[0]}={fold_role(odd[near[0]])} says who one is"
    else:
        said = "no turn is of the agent or of the caller; --map-role LABEL=agent says who one is"
    count = len([role for role in roles if role in odd or not odd])
    return {**known, "notes": [*notes, {"code": "roles_unknown", "message": said, "count": count}]}


def _backwards(timed: Sequence[Turn] | Sequence[Span]) -> int:
    return len([1 for one in timed if one.end is not None and one.start is not None and one.end < one.start])


def _without(calls: Sequence[Mapping[str, Any]], usual: str, *others: str) -> int:
    """Return how many calls have none of the fields, on themselves or in their attributes."""
    doubtful = [data for data in calls if data.get(usual) is None]
    return sum(1 for data in doubtful if not _has(data, usual, *others))


def _has(data: Mapping[str, Any], *names: str) -> bool:
    attributes = data.get("attributes") or {}
    return any(data.get(name) is not None or attributes.get(name) is not None for name in names)


def _repeated(ids: Sequence[Any]) -> int:
    """Return how many calls share their id with another."""
    named = [one for one in ids if type(one) is str]
    return sum(count for count in Counter(named).values() if count > 1) if len(set(named)) < len(named) else 0


def _block(known: Mapping[str, Any], name: str, size: int, counts: Mapping[str, int]) -> dict[str, Any]:
    block: dict[str, Any] = {"format": known.get("format", "hotato"), name: size}
    block.update({key: count for key, count in counts.items() if count})
    if known.get("captures"):
        block["captures"] = dict(sorted(known["captures"].items()))
    if known.get("notes"):
        block["notes"] = sorted(known["notes"], key=lambda note: str(note["code"]))
    return block

"""The model-judged shelf: what a rubric.v1 envelope says, apart from everything that is deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hotato.report._view import View
from hotato.report.html import _shown
from hotato.report.html._links import MOST_LINKS, Link

_HEAD = frozenset(
    {"id", "kind", "status", "deterministic", "dimension", "criterion", "reason", "rationale", "citations"}
)


class Opinion(NamedTuple):
    """One model-judged or human-judged result; never counted with what is deterministic."""

    anchor: str
    id: str
    kind: str
    status: str
    dimension: str
    criterion: str
    reason: str
    rationale: str
    facts: list[tuple[str, str]]
    evidence: list[Link]


def opinions(view: View) -> list[Opinion]:
    """Return the results of the rubric envelope, in its order."""
    results = view.rubric["results"] if view.rubric else []
    there = {f"t-{turn['turn']}" for turn in view.transcript or ()} | {span["id"] for span in view.spans or ()}
    return [_opinion(place, result, there) for place, result in enumerate(results)]


def _opinion(place: int, result: Mapping[str, Any], there: set[str]) -> Opinion:
    def text(name: str) -> str:
        value = result.get(name, "")
        return value if isinstance(value, str) else _shown.written(value)

    def told(value: Any) -> bool:
        return value is not None and value not in ("", [])

    cited = result.get("citations")
    return Opinion(
        anchor=f"j.{place}",
        id=result["id"],
        kind=text("kind"),
        status=result["status"],
        dimension=text("dimension"),
        criterion=text("criterion"),
        reason=text("reason"),
        rationale=text("rationale"),
        facts=[(_shown.words(str(name)), text(name)) for name in result if name not in _HEAD and told(result[name])],
        evidence=[_cited(one, there) for one in cited[:MOST_LINKS]] if isinstance(cited, (list, tuple)) else [],
    )


def _cited(one: Any, there: set[str]) -> Link:
    """Return a citation: a turn's position or a span's id, alone or in a mapping."""
    if isinstance(one, Mapping):
        one = one.get("turn", one.get("span_id", one))
    if isinstance(one, int):
        anchor, label = f"t-{one}", f"turn {one}"
    elif isinstance(one, str):
        anchor, label = one, one
    else:
        anchor, label = "", _shown.written(one)
    return Link(label, anchor if anchor in there else "")

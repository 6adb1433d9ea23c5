"""Results as annotations of a GitHub job: one workflow command a result that somebody has to look at."""

from __future__ import annotations

from typing import Any

from hotato.plan.text import explanation, safe
from hotato.report import _told
from hotato.report._view import View


def render(view: View) -> str:
    """Return a command for each failure, for each INCONCLUSIVE and for each pass that holds of nothing, then the counts.

    A failure is an error. An INCONCLUSIVE is a warning under the policy `report`, else an error; an empty pass is a notice.
    """
    envelope = _told.needed(view, "github")
    lines = []
    for result in envelope["results"]:
        level = _level(result, envelope["inconclusive_policy"])
        if level:
            lines.append(_command(view, level, result))
    counts, judged = _told.headline(view)
    return "\n".join([*lines, counts, judged]) + "\n"


def _level(result: dict[str, Any], policy: str) -> str:
    if result["status"] == "FAIL":
        return "error"
    if result["status"] == "INCONCLUSIVE":
        return "warning" if policy == "report" else "error"
    return "notice" if result.get("vacuous") else ""


def _command(view: View, level: str, result: dict[str, Any]) -> str:
    place = (view.places or {}).get(result["id"])
    told = {"title": f"{result['status']} {safe(result['id'])} ({safe(result['kind'])})"}
    if place is not None:
        told = {"file": safe(place.file), "line": str(place.line), "col": str(place.column), **told}
    named = ",".join(f"{name}={_property(value)}" for name, value in told.items() if value != "0")
    said = "\n".join([*map(safe, explanation(result)), *map(safe, _told.evidence(result))])
    return f"::{level} {named}::{_data(said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

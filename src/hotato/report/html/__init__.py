"""The HTML report: one page that needs nothing else, with what each verdict rests on beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hotato.report._view import View

STATUSES = ("FAIL", "INCONCLUSIVE", "PASS")
DIMENSIONS = ("outcome", "policy", "conversation", "speech", "reliability")


def render(view: View) -> str:
    """Return a report as an HTML page. The same view gives the same text; nothing on the page loads anything."""
    from hotato.report.html import _activity, _audio, _call, _cards, _changes, _judged, _links, _page, _timeline

    links = _links.collect(view)
    opinions = _judged.opinions(view)
    compared, changed = _changes.changes(view, links)
    cards = _cards.cards(view, links, changed)
    timeline = _timeline.draw(view, links)
    audio = _audio.collect(view, links, *(timeline.scale if timeline is not None else (0.0, 0.0)))
    return _page.page(
        "report.html",
        "report.js",
        view=view,
        title=view.title or "Call report",
        shelves=[(status, [card for card in cards if card.status == status]) for status in STATUSES],
        cards=cards,
        kinds=sorted({card.kind for card in cards}),
        lanes=_by_dimension(view),
        opinions=opinions,
        judged=_judged_count(view),
        timeline=timeline,
        audio=audio,
        sounds=audio is not None,
        activity=_activity.draw(view.lanes),
        more=("activity",) if view.lanes is not None else (),
        entries=_call.entries(view, links),
        found=_found(view),
        compared=compared,
    )


def render_index(rows: Sequence[Mapping[str, Any]], title: str | None = None) -> str:
    """Return an index of many calls as an HTML page.

    A row is `{call_id, envelope, href?, base?}`: an assert.v1 envelope, a path to the call's own report relative to the
    index, and the envelope of an earlier run. An `href` that is no such path is not linked. Raise UsageError, a
    ValueError, where an envelope is none.
    """
    from hotato.report.html import _index, _page

    return _page.page("index.html", "index.js", title=title or "Calls", index=_index.collect(rows))


def render_suite(result: Mapping[str, Any], pages: str) -> str:
    """Return the page of a suite of tests, given its result, `suite.v1`. `pages` is the folder of the runs' own reports."""
    from hotato.report.html import _page, _suite

    return _page.page(
        "suite.html", "index.js", styles=("suite",), title=result["name"], suite=_suite.collect(result, pages)
    )


def _judged_count(view: View) -> int:
    if view.rubric is not None:
        return len(view.rubric["results"])
    judge = view.envelope["summary"]["judge"] if view.envelope else {"pass": 0, "fail": 0}
    return int(judge["pass"] + judge["fail"])


def _by_dimension(view: View) -> list[tuple[str, dict[str, int]]]:
    """Return for each dimension that occurs how many results have each status; "none" for those without one."""
    counts: dict[str, dict[str, int]] = {}
    for result in view.envelope["results"] if view.envelope else ():
        count = counts.setdefault(result.get("dimension", "none"), dict.fromkeys(STATUSES, 0))
        count[result["status"]] += 1
    return [(name, counts[name]) for name in (*DIMENSIONS, "none") if name in counts]


def _found(view: View) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what each source held and what was lost when it was read, as the envelope has it."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    evidence: dict[str, Any] = view.envelope.get("evidence", {}) if view.envelope else {}
    for source, held in evidence.items():
        facts = [(name.replace("_", " "), str(held[name])) for name in held if name not in ("captures", "notes")]
        for name, does in held.get("captures", {}).items():
            facts.append((f"records {name.replace('_', ' ')}", "yes" if does else "no"))
        for note in held.get("notes", ()):
            count = f" ({note['count']})" if "count" in note else ""
            facts.append((note["code"].replace("_", " "), note.get("message", "") + count))
        found.append((source, facts))
    return found

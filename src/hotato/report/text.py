"""A report as plain text, for a log or a terminal without colours."""

from __future__ import annotations

from hotato.plan.text import count_lines, result_lines, safe
from hotato.report import _told
from hotato.report._view import View
from hotato.report.compare import compare
from hotato.report.compare import lines as compared


def render(view: View) -> str:
    """Return the results, those of a kind together and failures last, what changed since the base, and the counts."""
    envelope = _told.needed(view, "text")
    out = [view.title, ""] if view.title else []
    out += [*result_lines(envelope), ""]
    if view.rubric is not None:
        out.append("judge-scored (advisory, changes nothing above):")
        out += [f"  {result['status']:<13} {result['id']}" for result in view.rubric["results"]] + [""]
    if view.base is not None:
        out += [*compared(compare(view.base, envelope)), ""]
    counts = count_lines(envelope)
    if view.rubric is not None:
        counts[1] = f"judge-scored (advisory, never mixed in): {len(view.rubric['results'])}"
    return "\n".join(safe(line) for line in [*out, *counts]) + "\n"

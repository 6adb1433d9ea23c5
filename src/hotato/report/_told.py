"""What several formats say alike: the headline, and the evidence that a result rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hotato.errors import Problem, UsageError
from hotato.report._view import View

DETERMINISTIC = "Deterministic (audio / timing / transcript / trace derived)"
JUDGED = "Model-assisted (advisory, quarantined)"
EMPTY_SHELF = "Empty: no model was asked. Verdicts of a model stand here, and never change a count or an exit code."
# what an INCONCLUSIVE is to a system that knows success and failure alone, by the run's policy
INCONCLUSIVE_IS = {"report": "skipped", "fail": "failure", "refuse": "error"}


def needed(view: View, name: str) -> dict[str, Any]:
    """Return the envelope of a view. Raise UsageError where there is none; `name` is the format that needs it."""
    if view.envelope is None:
        raise UsageError(Problem(code="envelope", file="report", message=f"{name} needs assertions=, an envelope"))
    return view.envelope


def headline(view: View) -> tuple[str, str]:
    """Return the two counts, which are never added up."""
    envelope = needed(view, "a headline")
    count = envelope["summary"]["deterministic"]
    judged = envelope["summary"]["judge"]
    scored = judged["pass"] + judged["fail"] + len((view.rubric or {}).get("results", ()))
    return f"{count['pass']} deterministic pass / {count['fail']} fail", f"{scored} judge-scored (advisory)"


def turns_of(result: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Return the turns that a result names, and as what, in the order of the call and without repeats."""
    found: dict[tuple[int, str], None] = {}
    for field, said in (("turn", "matched"), ("before_turn", "before"), ("after_turn", "after")):
        if field in result:
            found[result[field], said] = None
    for hit in result.get("hits", ()):
        found[hit["turn"], hit["detector"]] = None
    for rule in result.get("matched_rules", ()):
        if rule.get("turn") is not None:
            found[rule["turn"], rule["rule"]] = None
    return sorted(found)


def spans_of(result: Mapping[str, Any]) -> list[str]:
    """Return the ids of the spans that a result names, the closest first and without repeats."""
    near = result.get("closest", {}).get("span_id")
    return list(dict.fromkeys([*([near] if near else []), *result.get("span_ids", ())]))


def evidence(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield in few words each piece of evidence that a result rests on."""
    for turn, said in turns_of(result):
        yield f"turn {turn}" if said == "matched" else f"turn {turn} ({said})"
    spans = list(result.get("span_ids", ()))
    if spans:
        more = f" and {len(spans) - 5} more" if len(spans) > 5 else ""
        yield f"{'spans' if len(spans) > 1 else 'span'} {', '.join(spans[:5])}{more}"
    if "met" in result and "of" in result:
        yield f"{result['met']} of {result['of']} met"
    for field, unit in (("measured_ms", " ms measured"), ("measured", " measured"), ("observed", " observed")):
        if field in result:
            yield f"{result[field]}{unit}"
    if "contracts" in result:
        yield f"{result['contracts']['passed']} of {result['contracts']['total']} contracts kept"
    if "pack" in result:
        yield f"pack {result['pack']['name']} {result['pack']['version']}"

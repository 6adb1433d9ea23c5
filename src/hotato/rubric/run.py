"""Rubrics and a call to a rubric.v1 envelope, and an envelope to text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotato.errors import EvidenceError
from hotato.model import given
from hotato.model.call import Call
from hotato.rubric import cache as caching
from hotato.rubric import prompt
from hotato.rubric.document import Rubric
from hotato.rubric.judge import Judge
from hotato.rubric.judging import TEMPERATURE, asked, is_judgement, judgement, unasked
from hotato.rubric.says import ERROR, FAIL, SAYS, STATUSES

if TYPE_CHECKING:
    from hotato.rubric.persons import Verdict

SCHEMA = "rubric.v1"
Judges = Callable[[str | None], Judge]


def run_rubrics(
    rubrics: Sequence[Rubric],
    call: Call,
    judge: Judge | Judges,
    *,
    cache: str | None = None,
    fresh: bool = False,
    gate: bool = False,
    human: Sequence[Verdict] = (),
) -> dict[str, Any]:
    """Return the rubric.v1 envelope of a call.

    - `judge`: who is asked, or a function from the model that a rubric names (None: none) to who is asked.
    - `cache`: the folder in which judgements are kept; None keeps and looks up none.
    - `fresh`: ask whatever is kept, leave that as it is, and say on each result whether the two differ.
    - `gate`: let `exit_code` be 1 for a FAIL, and 2 for an ERROR without a FAIL.
    - `human`: what people say by human rubrics, as `load_verdicts` reads it; what they said of other evidence counts for none.

    Raise UsageError for an argument of another type and where the cache cannot be written, and what `judge` raises for a model
    that it has not.
    """
    _check(rubrics, call, judge, human)
    given.flag(fresh, "fresh")
    given.flag(gate, "gate")
    judges: Judges = _only(judge) if hasattr(judge, "ask") else judge
    for rubric in rubrics:
        if rubric.kind == "judge_rubric":
            judges(rubric.evaluation.model)  # a model that there is not is refused before any is asked
    results = [
        _by_persons(rubric, call, human)
        if rubric.kind == "human_rubric"
        else _result(rubric, call, judges, cache, fresh)
        for rubric in rubrics
    ]
    return envelope(results, gate=gate)


def _check(rubrics: Any, call: Any, judge: Any, human: Any) -> None:
    """Refuse what is no rubric, no call, nobody to ask or no verdict of a person."""
    from hotato.rubric.persons import Verdict

    for name, values, one, what in (
        ("rubrics", rubrics, Rubric, "rubrics, as load and load_file return them"),
        ("human", human, Verdict, "verdicts, as load_verdicts returns them"),
    ):
        for value in given.typed((list, tuple), values, name, what):
            given.typed(one, value, name, what)
    given.typed(Call, call, "call", "a context, as build_context returns it", EvidenceError)
    if not hasattr(judge, "ask") and not callable(judge):
        raise given.refused(
            judge, "judge", "who is asked (an object with a method ask), or a function from a model to one"
        )


def _only(judge: Any) -> Judges:
    return lambda _: judge


def envelope(results: Sequence[Mapping[str, Any]], *, gate: bool) -> dict[str, Any]:
    """Return results as a rubric.v1 envelope."""
    count = {status: sum(1 for one in results if one["status"] == status) for status in STATUSES}
    code = 1 if count[FAIL] else 2 if count[ERROR] else 0
    said = f"advisory: {_who(results)} judged; no deterministic verdict depends on it"
    return {
        "schema": SCHEMA,
        "exit_code": code if gate else 0,
        "gate": gate,
        "results": list(results),
        "summary": {
            **{status.lower(): number for status, number in count.items()},
            "human_review": sum(1 for one in results if one["human_review"]),
            "cached": sum(1 for one in results if one["cached"]),
            "note": f"{said}; {'gated' if gate else 'not gated'}",
        },
    }


def _who(results: Sequence[Mapping[str, Any]]) -> str:
    """Return who judged: a model is named also where it was not asked, as the lane is one for models."""
    if not any("by" in vote for one in results for vote in one["votes"]):
        return "a model"
    return "a model and a person" if any(one["kind"] == "judge_rubric" for one in results) else "a person"


def _by_persons(rubric: Rubric, call: Call, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    evidence = prompt.shown(rubric, call)
    if evidence is None or not evidence.lines:
        return _stamped(rubric, unasked("person_needed"), {}, is_cached=False)
    from hotato.rubric.persons import input_sha256, judged

    told = {"input_sha256": input_sha256(rubric, evidence)}
    return _stamped(rubric, judged(rubric, evidence, verdicts), told, is_cached=False)


def _result(rubric: Rubric, call: Call, judges: Judges, cache: str | None, fresh: bool) -> dict[str, Any]:
    evidence = prompt.shown(rubric, call)
    code = ""
    if evidence is None:
        code = "evidence_missing"
    elif not evidence.lines:
        code = "evidence_empty"
    if code or evidence is None:
        return _stamped(rubric, unasked(code), {}, is_cached=False)
    judge = judges(rubric.evaluation.model)
    what = asked(rubric, evidence, judge)
    told = {
        "provider": judge.provider,
        "endpoint": judge.endpoint,
        "model": judge.model,
        "input_sha256": what.input_sha256,
        "cache_key": what.cache_key,
    }
    before = None if cache is None else caching.kept(cache, what.cache_key)
    before = before if before is not None and is_judgement(before) else None
    if before is not None and not fresh:
        return _stamped(rubric, before, told, is_cached=True)
    found = judgement(rubric, evidence, judge, what)
    result = _stamped(rubric, found, told, is_cached=False)
    if before is not None:
        old, new = caching.digest(before), result["verdict_sha256"]
        result["compared"] = {"status": before["status"], "verdict_sha256": old, "same": old == new}
    elif cache is not None and found["status"] != ERROR:
        caching.keep(cache, what.cache_key, found)
    return result


def _stamped(rubric: Rubric, found: Mapping[str, Any], told: Mapping[str, str], *, is_cached: bool) -> dict[str, Any]:
    """Return a result: the rubric, the judgement, and where it comes from."""
    reasons = _review(rubric, found)
    detail = f" ({found['detail']})" if found["detail"] else ""
    result: dict[str, Any] = {
        "id": rubric.id,
        "kind": rubric.kind,
        "status": found["status"],
        "deterministic": False,
        "criterion": rubric.criterion,
        "code": found["code"],
        "reason": SAYS[found["code"]] + detail,
        "rationale": found["rationale"],
        "citations": found["citations"],
        "confidence": found["confidence"],
        "votes": found["votes"],
        "disagreement": found["disagreement"],
        "human_review": bool(reasons),
        "review_reasons": reasons,
        "provider": told.get("provider"),
        "endpoint": told.get("endpoint"),
        "model": told.get("model"),
        "model_digest": found["model_digest"],
        "fingerprint": found["fingerprint"],
        "constrained": found["constrained"],
        "temperature": TEMPERATURE,
        "prompt": {"id": prompt.ID, "version": prompt.VERSION, "sha256": prompt.SHA256},
        "input_sha256": told.get("input_sha256"),
        "cache_key": told.get("cache_key"),
        "cached": is_cached,
        "verdict_sha256": caching.digest(found),
    }
    along = {"dimension": rubric.dimension, "severity": rubric.severity, "description": rubric.description}
    result |= {name: value for name, value in along.items() if value is not None}
    if rubric.tags:
        result["tags"] = list(rubric.tags)
    return result


def _review(rubric: Rubric, found: Mapping[str, Any]) -> list[str]:
    """Return why a person has to look: the occasions that the rubric names and that are here."""
    if rubric.kind == "human_rubric":
        return [] if found["code"] == "person_judged" else ["human_rubric"]
    here = {
        "fail": found["status"] == FAIL,
        "disagreement": found["disagreement"],
        "confidence_below_threshold": "confidence_low" in (found["code"], *(one["code"] for one in found["votes"])),
    }
    return [name for name in here if here[name] and name in rubric.review.human_required_on]


def render_text(found: Mapping[str, Any]) -> str:
    """Return an envelope as lines of text; what a model wrote can never steer the terminal."""
    from hotato.plan.text import safe

    lines: list[str] = []
    for result in found["results"]:
        lines.append(f"{result['status']:<12}  {result['id']}  ({result['kind']})")
        lines.append(f"    {result['reason']}")
        if result["rationale"]:
            lines.append(f"    {'why' if result['model'] is None else 'the judge'}: {result['rationale']}")
        if result["citations"]:
            cited = ", ".join(f"turn {one['turn']}" if "turn" in one else one["span_id"] for one in result["citations"])
            lines.append(f"    cites {cited}")
        if result["model"] is not None:
            digest = f" {result['model_digest'][:19]}" if result["model_digest"] else ""
            kept = ", from the cache" if result["cached"] else ""
            sure = "" if result["confidence"] is None else f", confidence {result['confidence']:g}"
            lines.append(f"    by {result['provider']} {result['model']}{digest}{sure}{kept}")
        lines += [f"    by {one['by']}, {one['at']}: {one['verdict']}" for one in result["votes"] if "by" in one]
        if result["kind"] == "human_rubric" and result["human_review"] and result["input_sha256"]:
            lines.append(f"    a person's verdict of it has input_sha256: {result['input_sha256']}")
        if "compared" in result:
            same = "the same" if result["compared"]["same"] else "another"
            lines.append(f"    asked again, it gave {same} judgement; kept is {result['compared']['status']}")
        if result["review_reasons"]:
            lines.append(f"    a person has to look: {', '.join(result['review_reasons'])}")
    count = found["summary"]
    said = f"{count['pass']} pass, {count['fail']} fail, {count['inconclusive']} inconclusive, {count['error']} error"
    lines += ["", f"judge-scored (advisory): {said}", str(count["note"])]
    return "".join(f"{safe(line)}\n" for line in lines)

"""A judge against calls that people labeled.

A folder of labeled calls holds `rubrics.yaml` and a folder a call, each with `labels.json` (`{"rubric-id": "PASS"}`), and
`transcript.json`, `voice_trace.jsonl` or both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.context.build import build_context
from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model import codec
from hotato.model.call import Call
from hotato.rubric.agreement import LABELS, measures
from hotato.rubric.document import Rubric, load_file
from hotato.rubric.judge import Judge
from hotato.rubric.run import Judges, run_rubrics

SCHEMA = "rubric-calibration.v1"
_RUBRICS, _LABELS, _TRANSCRIPT, _TRACE = "rubrics.yaml", "labels.json", "transcript.json", "voice_trace.jsonl"


class Labeled(msgspec.Struct, frozen=True, kw_only=True):
    """One call, and what people said of it: rubric id -> PASS or FAIL."""

    name: str
    call: Call
    labels: dict[str, str]


def load_labeled(folder: str) -> tuple[tuple[Rubric, ...], tuple[Labeled, ...]]:
    """Return the rubrics of a folder and its labeled calls by name. Raise UsageError with all that is wrong in it."""
    rubrics = load_file(os.path.join(folder, _RUBRICS))
    known = {rubric.id for rubric in rubrics if rubric.kind == "judge_rubric"}
    found: list[Labeled] = []
    problems: list[Problem] = []
    for name in sorted(os.listdir(folder)):
        place = os.path.join(folder, name)
        if not os.path.isdir(place) or name.startswith("."):
            continue
        try:
            found.append(_labeled(place, name, known))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise EvidenceError(problems)
    if not any(one.labels for one in found):
        said = f"no call with a label: each has a folder with {_LABELS} in it"
        raise EvidenceError(Problem(code="labels", file=folder, message=said))
    return rubrics, tuple(found)


def calibrate(
    rubrics: Sequence[Rubric],
    calls: Sequence[Labeled],
    judge: Judge | Judges,
    *,
    cache: str | None = None,
    fresh: bool = False,
) -> dict[str, Any]:
    """Return how far a judge agrees with people, rubric by rubric and over all, and every pair that it follows from.

    `judge`, `cache` and `fresh` are as for `run_rubrics`, and so is what is raised; only what has a label is asked for.
    """
    items = [item for one in calls for item in _items(rubrics, one, judge, cache, fresh)]
    by_rubric = [
        {"id": rubric.id, **measures((item["human"], item["judge"]) for item in items if item["id"] == rubric.id)}
        for rubric in rubrics
        if any(item["id"] == rubric.id for item in items)
    ]
    return {
        "schema": SCHEMA,
        "deterministic": False,
        "calls": len(calls),
        "rubrics": by_rubric,
        "together": measures((item["human"], item["judge"]) for item in items),
        "items": items,
    }


def _items(
    rubrics: Sequence[Rubric], one: Labeled, judge: Judge | Judges, cache: str | None, fresh: bool
) -> Iterator[dict[str, Any]]:
    wanted = [rubric for rubric in rubrics if rubric.id in one.labels]
    found = run_rubrics(wanted, one.call, judge, cache=cache, fresh=fresh)
    for result in found["results"]:
        names = ("code", "confidence", "disagreement", "provider", "endpoint", "model", "model_digest", "cached")
        told = {name: result[name] for name in (*names, "prompt", "input_sha256", "cache_key", "verdict_sha256")}
        label = one.labels[result["id"]]
        yield {"call": one.name, "id": result["id"], "human": label, "judge": result["status"], **told}


def _labeled(place: str, name: str, known: set[str]) -> Labeled:
    labels = _labels(os.path.join(place, _LABELS), known)
    transcript, trace = os.path.join(place, _TRANSCRIPT), os.path.join(place, _TRACE)
    has_transcript, has_trace = os.path.lexists(transcript), os.path.lexists(trace)
    if not has_transcript and not has_trace:
        said = f"a labeled call has {_TRANSCRIPT}, {_TRACE} or both"
        raise EvidenceError(Problem(code="file_missing", file=place, message=said))
    call = build_context(
        transcript_path=transcript if has_transcript else None, trace_path=trace if has_trace else None
    )
    return Labeled(name=name, call=call, labels=labels)


def _labels(path: str, known: set[str]) -> dict[str, str]:
    text = read_text(path, error=EvidenceError)
    try:
        value = codec.decode(text)
    except codec.JsonError as error:
        said = f"not JSON: {error.message}"
        fault = Problem(code=error.code, file=path, line=error.line, column=error.column, message=said)
        raise EvidenceError(fault) from None
    if not isinstance(value, dict):
        said = f"labels are an object of rubric ids, each {' or '.join(LABELS)}"
        raise EvidenceError(Problem(code="labels", file=path, message=said))
    problems = list(_label_problems(value, known, path))
    if problems:
        raise EvidenceError(problems)
    return dict(value)


def _label_problems(value: Mapping[str, Any], known: set[str], path: str) -> Iterator[Problem]:
    from hotato.document.guess import Guesser
    from hotato.document.problems import shown

    guesser = Guesser()
    for name, label in value.items():
        if name not in known:
            said, guess = "no judge_rubric of rubrics.yaml has this id", guesser.nearest(name, sorted(known))
            yield Problem(code="labels", file=path, path=shown(name), message=said, guess=guess)
        if label not in LABELS:
            said = f"a label is {' or '.join(LABELS)}"
            yield Problem(code="labels", file=path, path=shown(name), message=said)


def render_text(found: Mapping[str, Any]) -> str:
    """Return a calibration as lines of text."""
    from hotato.plan.text import safe

    lines: list[str] = []
    for name, one in [*((row["id"], row) for row in found["rubrics"]), ("together", found["together"])]:
        lines.append(f"{name}: {one['labeled']} labeled, {one['decided']} decided, {one['agreed']} as labeled")
        lines.append(
            f"    false pass {one['false_pass']}, false fail {one['false_fail']}, coverage {one['coverage']:.2f}"
        )
        for field, said in (("selective_accuracy", "accuracy where decided"), ("kappa", "Cohen's kappa")):
            rate = one[field]
            told = (
                "not defined"
                if rate is None
                else f"{rate['value']:.2f} (95 %: {rate['low']:.2f} to {rate['high']:.2f})"
            )
            lines.append(f"    {said} {told}")
    return "".join(f"{safe(line)}\n" for line in lines)

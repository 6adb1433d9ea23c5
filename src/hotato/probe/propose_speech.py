"""Assertions on what was said: phrases that all good calls share, no long silence, no personal data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hotato.document.load import load
from hotato.errors import DocumentError, Problem
from hotato.match.pii import find
from hotato.model.verdict import PASS
from hotato.plan.compile import compile_plan
from hotato.plan.resources import Resources
from hotato.plan.run import judge
from hotato.probe.propose_calls import AGENT, Candidate, Seen, regex_of, rounded_up

LEAST_CALLS = 3  # of fewer, what is shared may be the business of one caller
_LEAST_WORDS, _MOST_WORDS = 4, 40
_MOST_PHRASES = 12
_SLACK = 1.5
_DAY = 86_400


def phrases(seen: Seen) -> Iterator[Candidate]:
    """Yield the phrases of four words or more that the agent says in every good call, the longest there are."""
    if len(seen.good) < LEAST_CALLS or not all(seen.said):
        return
    texts = ["\n".join(f" {' '.join(words)} " for words in one) for one in seen.said]
    shortest = min(seen.said, key=lambda one: sum(map(len, one)))
    found: list[list[str]] = []
    for words in shortest:
        start = 0
        while start + _LEAST_WORDS <= len(words):
            end = start
            while (
                end < min(len(words), start + _MOST_WORDS) and words[end] and _is_shared(words[start : end + 1], texts)
            ):
                end += 1
            if end - start < _LEAST_WORDS:
                start += 1
                continue
            if words[start:end] not in found:
                found.append(words[start:end])
            start = end
    for row in sorted(found, key=len, reverse=True)[:_MOST_PHRASES]:
        is_first = all(one and f" {' '.join(row)} " in f" {' '.join(one[0])} " for one in seen.said)
        fields: dict[str, Any] = {"regex": regex_of(row), "role": AGENT, **({"position": "first"} if is_first else {})}
        yield Candidate(stem=f"says-{'-'.join(row[:5])}", kind="phrase", fields=fields, shown=seen.every)


def _is_shared(words: Sequence[str], texts: Sequence[str]) -> bool:
    phrase = f" {' '.join(words)} "
    return all(phrase in text for text in texts)


def silence(seen: Seen) -> Iterator[Candidate]:
    """Yield that the agent answers within half as long again as the longest silence of the good calls."""
    resources = Resources(_no_file)
    measure = {"id": "silence", "kind": "during", "max_gap_sec": _DAY}
    plan = compile_plan(load({"version": 1, "assertions": [measure]}, resources), resources)
    results = [judge(plan, call)[0] for call in seen.good]
    measured = [float(one["measured_sec"]) for one in results if one["status"] == PASS and "measured_sec" in one]
    longest = max(measured, default=0.0)
    if len(measured) == len(results) and longest > 0:
        fields: dict[str, Any] = {"max_gap_sec": rounded_up(longest * _SLACK)}
        note = f"longest silence of a good call: {longest:g} s"
        yield Candidate(stem="answers-in-time", kind="during", fields=fields, shown=seen.every, note=note)


def personal_data(seen: Seen) -> Iterator[Candidate]:
    """Yield that the agent says no personal data of a sort that is said in a bad call."""
    hits = {hit.detector for call in seen.bad for hit in find(call.transcript or ()) if hit.role == AGENT}
    for name in sorted(hits):
        fields: dict[str, Any] = {"detectors": [name], "mode": "must_not_leak", "role": AGENT}
        yield Candidate(
            stem=f"no-{name}-said", kind="pii", fields=fields, shown=seen.every, only_if_it_catches=True, is_told=False
        )


def _no_file(path: str) -> str:
    raise DocumentError(Problem(code="pack_file", file=path, message="a proposal names no file"))

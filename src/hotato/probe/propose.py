"""From calls that went well, and calls that did not, to assertions that hold on the former and catch some of the latter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.document.load import load
from hotato.errors import DocumentError, InternalError, Problem, UsageError
from hotato.model.call import Call
from hotato.model.verdict import FAIL, PASS
from hotato.plan.compile import compile_plan
from hotato.plan.resources import Resources
from hotato.plan.run import judge
from hotato.probe.propose_calls import Candidate, Seen
from hotato.probe.propose_claims import claims, shortest
from hotato.probe.propose_speech import personal_data, phrases, silence
from hotato.probe.propose_trace import endings, errors, latencies, orders, shapes, tools

_NEARLY = 0.8  # of the good calls: what holds on as many and not on all is told and not proposed
_MOST_NEAR = 10


class Catch(msgspec.Struct, frozen=True):
    """A call on which an assertion fails: its position among the good or the bad, the code, and where in the call."""

    call: int
    code: str
    where: str


class Proposed(msgspec.Struct, frozen=True):
    """An assertion, the positions of the good calls that show it, the bad calls it fails, and what else is to be told."""

    assertion: dict[str, Any]
    shown: tuple[int, ...]
    catches: tuple[Catch, ...]
    note: str = ""


class Near(msgspec.Struct, frozen=True):
    """An assertion that is not proposed, since it fails on a few of the good calls."""

    id: str
    held: int
    fails: tuple[Catch, ...]


class Proposal(msgspec.Struct, frozen=True):
    """What is proposed of so many good and bad calls: what catches most comes first."""

    proposed: tuple[Proposed, ...]
    near: tuple[Near, ...]
    good: int
    bad: int

    @property
    def document(self) -> dict[str, Any]:
        """Return the assertions as a document."""
        return {"version": 1, "assertions": [one.assertion for one in self.proposed]}


def propose(good: Sequence[Call], bad: Sequence[Call] = (), *, partial: bool = False) -> Proposal:
    """Return assertions that every good call passes, ranked by how many of the bad ones they fail.

    Each is shown by every good call: on none does it pass of nothing. With `partial` those are proposed as well that only
    some good calls show, at least two. No model is asked; the same calls in the same order give the same answer. Of values
    that were said or passed nothing is kept: of arguments their types and forms, of speech words that the agent says in
    several good calls, and never a digit.

    Raise UsageError where there is nothing to propose.
    """
    least = min(2, len(good)) if partial else len(good)
    found = Seen(good, bad, least)
    ids: set[str] = set()
    ranked = [(one, _named(one, ids)) for one in _candidates(found)]
    judged = _judged([assertion for _, assertion in ranked], good, bad)
    held: list[tuple[Candidate, Proposed]] = []
    near: list[Near] = []
    for place, (candidate, assertion) in enumerate(ranked):
        on_good, on_bad = ([results[place] for results in side] for side in judged)
        fails, catches = _catches(on_good), _catches(on_bad)
        shown = [i for i in candidate.shown if on_good[i]["status"] == PASS and not on_good[i].get("vacuous")]
        if all(result["status"] == PASS for result in on_good):
            if len(shown) >= least and (catches or not candidate.only_if_it_catches):
                held.append((candidate, Proposed(assertion, tuple(shown), catches, candidate.note)))
        elif candidate.is_told and len(on_good) - len(fails) >= _NEARLY * len(good) and fails:
            near.append(Near(assertion["id"], len(on_good) - len(fails), fails))
    proposed = [one for _, one in sorted(shortest(held), key=_rank)]
    if not proposed:
        said = "nothing to propose: no tool call, handoff or phrase is common to the good calls"
        said += "" if partial else "; --partial (partial=True) takes what some of them show"
        raise UsageError(Problem(code="nothing_to_infer", file="good calls", message=said))
    proposal = Proposal(tuple(proposed), tuple(near[:_MOST_NEAR]), len(good), len(bad))
    _check(proposal, good, partial)
    return proposal


def _candidates(seen: Seen) -> Iterator[Candidate]:
    for makes in (tools, orders, shapes, errors, latencies, endings, phrases, silence, personal_data, claims):
        yield from makes(seen)


def _named(candidate: Candidate, ids: set[str]) -> dict[str, Any]:
    """Return the assertion of a candidate under an id that no other has."""
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", candidate.stem).strip("-")[:100] or candidate.kind
    name, number = base, 2
    while name in ids:
        name, number = f"{base}-{number}", number + 1
    ids.add(name)
    return {"id": name, "kind": candidate.kind, **candidate.fields}


def _judged(
    assertions: Sequence[dict[str, Any]], good: Sequence[Call], bad: Sequence[Call]
) -> tuple[list[list[dict[str, Any]]], list[list[dict[str, Any]]]]:
    """Return the results of every assertion on every good and on every bad call."""
    if not assertions:
        return [[] for _ in good], [[] for _ in bad]
    resources = Resources(_no_file)
    plan = compile_plan(load({"version": 1, "assertions": list(assertions)}, resources), resources)
    return [judge(plan, call) for call in good], [judge(plan, call) for call in bad]


def _no_file(path: str) -> str:
    raise DocumentError(Problem(code="pack_file", file=path, message="a proposal names no file"))


def _catches(results: Sequence[Mapping[str, Any]]) -> tuple[Catch, ...]:
    return tuple(
        Catch(place, result["code"], _where(result)) for place, result in enumerate(results) if result["status"] == FAIL
    )


def _where(result: Mapping[str, Any]) -> str:
    """Return where in a call an assertion fails, empty where the result does not say."""
    if result.get("turn") is not None:
        return f"turn {result['turn']}"
    for name, word in (("turns", "turn "), ("span_ids", "")):
        if result.get(name):
            return f"{word}{result[name][0]}"
    return ""


def _rank(pair: tuple[Candidate, Proposed]) -> tuple[int, int]:
    return -len(pair[1].catches), -len(pair[1].shown)


def _check(proposal: Proposal, good: Sequence[Call], partial: bool) -> None:
    """Judge the good calls by the document itself. Raise InternalError where it does not pass, or passes of nothing."""
    (judged, _) = _judged(proposal.document["assertions"], good, ())
    for results in judged:
        for result in results:
            if result["status"] != PASS or (result.get("vacuous") and not partial):
                raise InternalError("what is proposed does not hold on the good calls", result["id"])

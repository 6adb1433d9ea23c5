"""Judge a call for counting: what a table of results has of it, and nothing that explains it to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from hotato.errors import EvidenceError, HotatoError, InternalError, UsageError
from hotato.match.evidence import Evidence
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.plan.compile import Node, Plan
from hotato.plan.run import _verdict

_NONE: Mapping[str, Any] = {}


class Findings(msgspec.Struct):
    """The results of one call as columns, each in the order of the document.

    `exercised` is None where a status is INCONCLUSIVE. `vacuous` and `skipped` hold the places of results that are. `fields` has
    what a kind puts onto its result, in whatever order and beside whatever else a result has.
    """

    statuses: list[str]
    codes: list[str]
    exercised: list[int | None]
    vacuous: list[int] = []
    skipped: list[int] = []
    fields: Sequence[Mapping[str, Any]] = ()


def findings(plan: Plan, call: Any, *, bare: bool = False) -> Findings:
    """Return what `judge` finds of a call, without a sentence, a comparison or a text. Raise as `judge` does.

    `bare` leaves `fields` out, and with them what a result rests on and what was measured.
    """
    evidence = Evidence(call, join=plan.join_segments, brief=True)
    nodes, known, strict = plan.nodes, evidence.statuses, plan.strict
    statuses, codes = [""] * len(nodes), [""] * len(nodes)
    exercised: list[int | None] = [None] * len(nodes)
    fields = [] if bare else [_NONE] * len(nodes)
    made = Findings(statuses, codes, exercised, [], [], fields)
    for place in plan.order:
        node = nodes[place]
        try:
            verdict = _verdict(node, evidence)
        except Exception as error:
            raise _blamed(node, error) from error
        if verdict is None:
            status, codes[place] = INCONCLUSIVE, _withheld(node, evidence)
            if codes[place] == "skipped":
                made.skipped.append(place)
        else:
            codes[place] = verdict.code
            if not bare:
                fields[place] = verdict.fields
            if verdict.truth is None:
                status = INCONCLUSIVE
            else:
                status, exercised[place] = PASS if verdict.truth else FAIL, verdict.exercised
                if status == PASS and verdict.exercised == 0:
                    made.vacuous.append(place)
                    if strict:
                        status, codes[place] = FAIL, "vacuous"
        known[node.id] = statuses[place] = status
    return made


def findings_of(results: Sequence[Mapping[str, Any]]) -> Findings:
    """Return the same of results that were made for an envelope."""
    return Findings(
        [result["status"] for result in results],
        [result["code"] for result in results],
        [result.get("exercised") for result in results],
        [place for place, result in enumerate(results) if "vacuous" in result],
        [place for place, result in enumerate(results) if "skipped" in result],
        results,
    )


def _withheld(node: Node, evidence: Evidence) -> str:
    """Return the code of a result whose kind was not asked."""
    if any(evidence.statuses[ref] != PASS for ref in node.when):
        return "skipped"
    absent = next((source for source in node.needs if not evidence.has(source)), None)
    return f"no_{absent}" if absent else "not_captured"


def _blamed(node: Node, error: Exception) -> Exception:
    """Return what is raised for an error while an assertion is judged."""
    if isinstance(error, UsageError):
        return EvidenceError([replace(one, message=f"assertion '{node.id}': {one.message}") for one in error.problems])
    if isinstance(error, HotatoError):
        return error
    return InternalError(f"internal error while judging assertion '{node.id}': {type(error).__name__}", node.id)

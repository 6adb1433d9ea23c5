"""Running a conversation test: on a recorded call, or on every call that its scenario makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from hotato.model.call import Call
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS
from hotato.simulate.checks import Test
from hotato.simulate.evidence import RECORDED, SIMULATED, Simulated, SimulatorInvalid, simulate
from hotato.simulate.rubrics import input_of
from hotato.simulate.success import by_dimension, judged
from hotato.simulate.variants import Variant

INVALID = "SIMULATOR_INVALID"
_JUDGED = (PASS, FAIL)
Envelope = Mapping[str, Any]
Opinion = Callable[[Call], Envelope]  # what models and people say of a call, a rubric.v1 envelope


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one call.

    `status` is PASS, FAIL, INCONCLUSIVE or SIMULATOR_INVALID, which has neither an envelope nor a digest: `why` says what
    kept the scenario from being played. `run` is empty for a recorded call, `digest` the sha256 of the simulated evidence.
    `rubric` is what models and people judged, None where none was asked; `unjudged` names the rubrics that are not in it, and
    `to_judge` says by their ids what a person's verdict of this call is bound to, an `input_sha256`.
    """

    origin: str
    status: str
    run: str = ""
    conditions: tuple[Mapping[str, Any], ...] = ()
    envelope: Mapping[str, Any] | None = None
    digest: str = ""
    why: str = ""
    rubric: Envelope | None = None
    unjudged: tuple[str, ...] = ()
    to_judge: Mapping[str, str] = {}

    def told(self, dimensions: Sequence[str]) -> dict[str, Any]:
        """Return the outcome as JSON has it, without the envelope."""
        found: dict[str, Any] = {"origin": self.origin, "status": self.status}
        if self.run:
            found["run"] = self.run
        if self.envelope is None:
            return {**found, "why": self.why}
        found["conditions"] = list(self.conditions)
        found["dimensions"] = by_dimension(self.envelope["results"], dimensions)
        told: dict[str, Any] = {} if self.rubric is None else dict(self.rubric["summary"])
        told |= {"unjudged": list(self.unjudged)} if self.unjudged else {}
        told |= {"input_sha256": dict(self.to_judge)} if self.to_judge else {}
        if told:
            found["rubric"] = {"judged": self.rubric is not None, **told}
        return {**found, "sha256": self.digest} if self.digest else found


def outcome(
    test: Test,
    call: Any,
    *,
    origin: str = RECORDED,
    run: str = "",
    digest: str = "",
    opinion: Opinion | None = None,
) -> Outcome:
    """Return what became of a call. `opinion` has models and people judge it, by some of the test's rubrics.

    A call of which no deterministic assertion has a verdict is INCONCLUSIVE where its conditions would let it pass, as
    `no_deterministic_fail` does: nothing was seen to hold.
    """
    rubric = opinion(call) if opinion is not None and test.criteria else None
    envelope, found = judged(test, call, rubric)
    status, results = found["status"], envelope["results"]
    seen = {one["id"] for one in rubric["results"]} if rubric is not None else set()
    unjudged = [one for one in test.criteria if one.id not in seen]
    if status == PASS and results and not any(one["status"] in _JUDGED for one in results):
        status = INCONCLUSIVE
    return Outcome(
        origin=origin,
        status=status,
        run=run,
        conditions=tuple(found["conditions"]),
        envelope=envelope,
        digest=digest,
        rubric=rubric,
        unjudged=tuple(one.id for one in unjudged),
        to_judge={one.id: told for one in unjudged if one.kind == "human_rubric" and (told := input_of(one, call))},
    )


def simulated(test: Test, variant: Variant, opinion: Opinion | None = None) -> tuple[Outcome, Simulated | None]:
    """Return what became of one run of the test's scenario, without sound, and the call where it could be played."""
    assert test.scenario is not None
    try:
        made = simulate(test.scenario, variant)
    except SimulatorInvalid as error:
        why = "; ".join(problem.message for problem in error.problems)
        return Outcome(origin=SIMULATED, status=INVALID, run=variant.id, why=why), None
    digest = made.digest()
    return outcome(test, made.call(), origin=SIMULATED, run=variant.id, digest=digest, opinion=opinion), made


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many calls ended how, and how many of them differ: a repeat with the same bytes is no new evidence."""
    names = {PASS: "pass", FAIL: "fail", INCONCLUSIVE: "inconclusive", INVALID: "simulator_invalid"}
    found = {name: sum(one.status == status for one in outcomes) for status, name in names.items()}
    return {"runs": len(outcomes), **found, "different": len({one.digest for one in outcomes if one.digest})}


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 1 where a call is FAIL, 0 where every call is PASS, else 2: there is no verdict on all of them."""
    found = {one.status for one in outcomes}
    return 1 if FAIL in found else 0 if found == {PASS} else 2

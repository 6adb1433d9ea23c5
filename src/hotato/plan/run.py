"""Judge a call: the only place where findings become PASS, FAIL and INCONCLUSIVE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from hotato.errors import EvidenceError, HotatoError, InternalError, UsageError
from hotato.match.closest import Want
from hotato.match.evidence import Evidence
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS, Verdict
from hotato.plan.compile import Node, Plan
from hotato.plan.explain import explain, veil
from hotato.plan.summary import envelope

SAYS = {
    "skipped": "not judged, since its precondition did not pass: {unmet}",
    "no_transcript": "needs a transcript: supply one with --transcript or build_context(transcript=...)",
    "no_trace": "needs a trace: supply one with --trace or build_context(spans=...)",
    "no_timing": "needs a scored run: supply its recording with --stereo, or its envelope with build_context(timing=...)",
    "no_state": "needs a system of record: supply one with --state or build_context(state_adapter=...)",
    "not_captured": "the source of the trace is known not to record {what}; {remedy}",
    "vacuous": "nothing was checked ({reason}), and a strict run counts that as a failure",
}
REMEDIES = {
    "arguments": "switch the recording of content on where the trace is made (for OpenTelemetry's GenAI instrumentation "
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, in newer versions =SPAN_ONLY)",
}
REMEDIES["result"] = REMEDIES["arguments"]


def run(plan: Plan, call: Any) -> dict[str, Any]:
    """Return the envelope of one call. `call` is a Call or any object with its attributes. Raise InternalError."""
    return envelope(judge(plan, call), plan.inconclusive_policy, getattr(call, "audit", None))


def judge(plan: Plan, call: Any) -> list[dict[str, Any]]:
    """Return the results of one call, in the order of the document. Raise InternalError."""
    evidence = Evidence(call, join=plan.join_segments, plain=plan.plain)
    nodes, strict, statuses = plan.nodes, plan.strict, evidence.statuses
    results: list[dict[str, Any]] = [{}] * len(nodes)
    wants: list[tuple[Want, dict[str, Any], bool]] = []
    for place in plan.order:
        node = nodes[place]
        try:
            verdict = _verdict(node, evidence)
            if verdict is None:
                result = _withheld(node, evidence)
            else:
                result = _stamped(node, verdict, strict)
                if verdict.want is not None:
                    wants.append((verdict.want, result, verdict.truth is False))
        except UsageError as error:  # the evidence is more than the assertion can be judged by
            problems = [replace(one, message=f"assertion '{node.id}': {one.message}") for one in error.problems]
            raise EvidenceError(problems) from error
        except HotatoError:
            raise
        except Exception as error:
            said = f"internal error while judging assertion '{node.id}': {type(error).__name__}"
            raise InternalError(said, node.id) from error
        results[place], statuses[node.id] = result, result["status"]
    explain(wants)
    if plan.veils:
        veil(results, evidence)
    return results


def settle(plan: Plan, evidence: Evidence, places: Iterable[int]) -> None:
    """Judge the assertions at these places of the order, and leave their statuses alone in the evidence.

    Statuses of the others have to be there. What `judge` would raise for, since the evidence is more than an assertion
    can be judged by, is INCONCLUSIVE. Raise InternalError.
    """
    for place in places:
        node = plan.nodes[place]
        try:
            verdict = _verdict(node, evidence)
        except UsageError:
            verdict = None
        except HotatoError:
            raise
        except Exception as error:
            said = f"internal error while judging assertion '{node.id}': {type(error).__name__}"
            raise InternalError(said, node.id) from error
        evidence.statuses[node.id] = INCONCLUSIVE if verdict is None else _status(verdict, plan.strict)


def _status(verdict: Verdict, strict: bool) -> str:
    if verdict.truth is None:
        return INCONCLUSIVE
    return PASS if verdict.truth and not (strict and verdict.exercised == 0) else FAIL


def _verdict(node: Node, evidence: Evidence) -> Verdict | None:
    """Return what the kind finds; None where it is not asked."""
    for ref in node.when:
        if evidence.statuses[ref] != PASS:
            return None
    if not evidence.has_all(node.needs):
        return None
    if node.rests_on and evidence.lacks(node.rests_on):
        return None
    return node.check(evidence)


def _withheld(node: Node, evidence: Evidence) -> dict[str, Any]:
    """Return the result of a check that was not asked."""
    made = {**node.stamp, "status": INCONCLUSIVE}
    unmet = [f"{ref} is {evidence.statuses[ref]}" for ref in node.when if evidence.statuses[ref] != PASS]
    if unmet:  # then no source is touched
        made |= {"code": "skipped", "reason": SAYS["skipped"].format(unmet=", ".join(unmet)), "skipped": True}
    elif absent := [source for source in node.needs if not evidence.has(source)]:
        made |= {"code": f"no_{absent[0]}", "reason": SAYS[f"no_{absent[0]}"]}
    else:
        what = evidence.lacks(node.rests_on)
        remedy = REMEDIES.get(what, "if it does, say so with --capture-complete")
        made |= {"code": "not_captured", "reason": SAYS["not_captured"].format(what=what, remedy=remedy)}
    return made


def _stamped(node: Node, verdict: Verdict, strict: bool) -> dict[str, Any]:
    """Return the result that a finding is."""
    code, exercised, fields = verdict.code, verdict.exercised, verdict.fields
    if verdict.truth and exercised:  # as most are
        made = {**node.stamp, "status": PASS, "code": code, "exercised": exercised, **fields}
    else:
        status = PASS if verdict.truth else INCONCLUSIVE if verdict.truth is None else FAIL
        vacuous = status == PASS
        reason = _say(node.says, code, verdict.facts)
        if vacuous and strict:
            status, code, reason = FAIL, "vacuous", SAYS["vacuous"].format(reason=reason)
        made = {**node.stamp, "status": status, "code": code}
        if reason:
            made["reason"] = reason
        if status != INCONCLUSIVE:
            made["exercised"] = exercised
        if vacuous:
            made["vacuous"] = True
        made.update(fields)
    return made


def _say(says: Mapping[str, str], code: str, facts: Mapping[str, Any]) -> str:
    return says[code].format_map(facts)

"""Voice agents called by a voice simulator: the flow they went through. Only what is determinate is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from corpus import Finding, Known, Record, Score, document, passed, plan

from hotato import assert_ as A


class Judge:
    """The judge of the voice runs: one document for all, one for debt collection, one a call for its own path."""

    name = "whissle_voice"
    known: dict[str, Known] = {}

    def __init__(self, folder: Path) -> None:
        del folder
        self.every = document("whissle")
        self.debt = document("whissle-debt_collection")

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call: its path through the flow, its ending, its latencies."""
        expected = record["expected"]
        call = A.build_context(transcript=record["transcript"], spans=list(_spans(record)))
        every = {name: result["status"] for name, result in score.judge(self.every, call).items()}
        found = Counter(finding["type"] for finding in expected["findings"])
        yield Finding("handed-off", passed(expected["handoff"]), every["handed-off"])
        yield Finding("user-done", passed(expected["termination"] == "user_done"), every["user-done"])
        yield Finding("turn-cap", passed(expected["termination"] == "turn_cap"), every["turn-cap"])
        yield Finding("ended too early", passed("premature_termination" in found), every["ended-too-early"])
        yield Finding("moves declared", passed("illegal_transition" not in found), every["moves-declared"])
        if expected["compliance_spec"]:
            debt = score.judge(self.debt, call)
            entered = set(expected["states_entered"])
            hidden = not entered & set(expected["compliance_spec"]["disclosure_states"])
            yield Finding("no disclosing state", passed(hidden), debt["never-in-disclosure"]["status"])
            yield Finding("kept private", "PASS", debt["kept-private"]["status"])
        yield from _own(record, call, score)
        others = {"premature_termination", "illegal_transition", "stuck_loop"}
        for kind, count in found.items():
            if kind not in others:
                score.noted[f"findings of the corpus that are not judged: {kind}"] += count


def _spans(record: Record) -> Iterator[Record]:
    """Yield what the flow did, as spans that say in their type what it was."""
    expected, at = record["expected"], 0.0
    declared = {(move["from"], move["to"]) for move in record["agent_flow_spec"]["transitions"]}
    state = ""
    for span in record["spans"]:
        at = span["start_sec"]
        yield {**span, "type": span["name"]}
        if span["name"] == "state_enter":
            yield {"type": f"enter.{span['state']}", "start_sec": at}
            if span["state_type"] == "transfer":
                yield {"type": "handoff", "to": "human", "start_sec": at}
            if state and (state, span["state"]) not in declared:
                yield {"type": "undeclared_move", "start_sec": at}
            state = span["state"]
    for latency in expected["response_latencies_ms"]:
        yield {"type": "agent_response", "latency_ms": latency, "start_sec": at}
    if expected["verdict"] == "pass":
        yield {"type": "goal_met", "start_sec": at}
    if expected["termination"]:
        yield {"type": "termination", "reason": expected["termination"], "start_sec": at}


def _own(record: Record, call: A.Context, score: Score) -> Iterator[Finding]:
    """Judge what differs from call to call: the states in order and how often, and the slowest response."""
    expected = record["expected"]
    states, latencies = expected["states_entered"], expected["response_latencies_ms"]
    path = [{"span_type": f"enter.{state}"} for state in states]
    turned = [*path[1:], path[0]]
    assertions: list[Record] = [
        {"id": "path", "kind": "sequence", "steps": path},
        {"id": "entered", "kind": "count", "span_type": "state_enter", "count": len(states)},
        {"id": "once-more", "kind": "sequence", "steps": [*path, path[0]]},
        {"id": "turned", "kind": "sequence", "steps": turned},
    ]
    for state, count in Counter(states).items():
        assertions.append({"id": f"visits.{state}", "kind": "count", "span_type": f"enter.{state}", "count": count})
    if latencies:
        assertions.append({"id": "fast", "kind": "latency", "span_type": "agent_response", "max_ms": max(latencies)})
    results = score.judge(plan(assertions), call)
    yield Finding("path", "PASS", results["path"]["status"])
    yield Finding("number of states", "PASS", results["entered"]["status"])
    yield Finding("path with a step too many", "FAIL", results["once-more"]["status"])
    yield Finding("path from its second step", passed(len(states) == 1), results["turned"]["status"])
    if latencies:
        yield Finding("slowest response", max(latencies), results["fast"]["measured_ms"])
    for name, result in results.items():
        if name.startswith("visits."):
            yield Finding("visits", "PASS", result["status"])
    for finding in expected["findings"]:
        if finding["type"] == "stuck_loop":
            observed = results[f"visits.{finding['state']}"]["observed"]
            yield Finding("visits of a loop", finding["evidence"]["visits"], observed)

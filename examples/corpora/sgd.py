"""Schema-guided dialogues: the caller is asked before the agent acts, and is told how it went."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpus import HERE, Finding, Known, Record, Score, by_sequence, passed, plan

from hotato import assert_ as A

ACTS = ("CONFIRM", "AFFIRM", "NOTIFY_SUCCESS", "NOTIFY_FAILURE")


class Judge:
    """The judge of the schema-guided dialogues: one document, compiled once for each tool that a call names."""

    name = "sgd"
    known = {
        "answer and announcement": Known(
            211, "the simulated answer of the tool does not follow from the success or failure that is announced"
        ),
    }

    def __init__(self, folder: Path) -> None:
        del folder
        self.text = (HERE / "documents" / "sgd.yaml").read_text(encoding="utf-8")
        self.tools: dict[str, A.Plan] = {}

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call: each action that changes something, the same without the caller's yes, each announcement."""
        roles = {turn["seq"]: turn["role"] for turn in record["transcript"]}
        spans = [*_acts(record["expected"]["dialog_acts"], roles), *by_sequence(record["spans"])]
        call = A.build_context(transcript=by_sequence(record["transcript"]), spans=spans)
        for raw in record["spans"]:
            if raw["transactional"]:
                yield from self._action(raw, roles, call, score)
        for claim in record["expected"]["claims"]:
            last = max(s["seq"] for s in record["spans"] if s["name"] == claim["tool"] and s["seq"] < claim["seq"])
            results = score.judge(self._plan(claim["tool"]), _between(call, last, claim["seq"]))
            for what in ("success", "failure"):
                yield Finding("announcement", passed(what == claim["claims"]), results[f"told-{what}"]["status"])

    def _action(self, raw: Record, roles: dict[int, str], call: A.Context, score: Score) -> Iterator[Finding]:
        compiled, seq = self._plan(raw["name"]), raw["seq"]
        yield Finding("read back", "PASS", score.judge(compiled, _between(call, 0, seq))["read-back"]["status"])
        spoke = max(place for place, role in roles.items() if role == "agent" and place < seq)
        asked = _between(call, spoke, seq)
        yield Finding("agreed", "PASS", score.judge(compiled, asked)["agreed"]["status"])
        silent = A.Context(spans=tuple(span for span in asked.spans or () if span.start != seq - 1))
        yield Finding("agreed, without that turn", "FAIL", score.judge(compiled, silent)["agreed"]["status"])
        yield from _answer(raw, seq, call, score)

    def _plan(self, tool: str) -> A.Plan:
        if tool not in self.tools:
            self.tools[tool] = A.compile_assertions(self.text.replace("ACTION", tool), join_segments=False)
        return self.tools[tool]


def _answer(raw: Record, seq: int, call: A.Context, score: Score) -> Iterator[Finding]:
    """Judge by the answer alone: it is a success where it repeats what was asked for."""
    asked = {"id": "as-asked", "kind": "tool_result", "name": raw["name"], "result_subset": raw["arguments"]}
    result = score.judge(plan([asked]), _between(call, seq, seq))["as-asked"]["status"]
    yield Finding("answer as asked", passed(raw["outcome"] == "success"), result)
    told = {"id": "told", "kind": "count", "span_type": "agent_notify_success", "count": 1}
    said = score.judge(plan([told]), _between(call, seq, seq + 1))["told"]["status"]
    yield Finding("answer and announcement", said, result)


def _acts(labelled: list[Record], roles: dict[int, str]) -> Iterator[Record]:
    """Yield a span for each dialogue act that the document asks for."""
    for turn in labelled:
        for act in sorted({act for act, _, _ in turn["acts"]}):
            if act in ACTS:
                yield {"type": f"{roles[turn['seq']]}_{act.lower()}", "start_sec": turn["seq"]}


def _between(call: A.Context, first: int, last: int) -> A.Context:
    """Return what happened from one position to another, both included."""
    return A.Context(
        transcript=tuple(turn for turn in call.transcript or () if first <= (turn.start or 0) <= last),
        spans=tuple(span for span in call.spans or () if first <= (span.start or 0) <= last),
    )

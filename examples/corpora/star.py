"""STAR: people on both sides, and what the agent claims beside what its tools answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from corpus import HERE, Finding, Known, Record, Score, document, ending, passed, plan

from hotato import assert_ as A

OUTCOMES = {"success": "succeeded", "failure": "failed", "record": "answered"}
_PLACEHOLDER = re.compile(r"\{[^}]*\}")


class Judge:
    """The judge of STAR. The canned texts of the agents are read from the corpus, one phrase assertion a label."""

    name = "star"
    known = {
        "complete": Known(1, "incomplete for a disconnect during the questionnaire, recorded as ended by the caller"),
        "canned phrase": Known(390, "four labels whose text in the task files is not what the agents' tool sent"),
    }

    def __init__(self, folder: Path) -> None:
        self.call = document("star")
        self.tools: dict[str, A.Plan] = {}
        for path in sorted((HERE / "documents").glob("star-*.yaml")):
            compiled = document(path.stem)
            self.tools |= {node.id.partition(".")[0]: compiled for node in compiled.nodes}
        self.texts = _texts(folder)
        self.phrases = {label: _phrase(label, texts) for label, texts in self.texts.items()}

    def findings(self, record: Record, score: Score) -> Iterator[Finding]:
        """Judge one call: how it ended, each canned phrase, each answer of a tool, each claim."""
        expected = record["expected"]
        end = ending(expected["termination"]["kind"], expected["termination"]["at"])
        call = A.build_context(transcript=record["transcript"], spans=[*record["spans"], end])
        turns = {turn["seq"]: made for turn, made in zip(record["transcript"], call.transcript or (), strict=True)}
        complete = score.judge(self.call, call)["complete"]["status"]
        yield Finding("complete", passed(expected["verdict"] == "complete"), complete)
        yield from self._phrases(record, turns, score)
        spans = call.spans or ()
        for raw, span in zip(record["spans"], spans[:-1], strict=True):
            yield from self._answer(raw, span, score)
        for claim in expected["claims"]:
            before = [
                span
                for raw, span in zip(record["spans"], spans[:-1], strict=True)
                if raw["name"] == claim["tool"] and raw["seq"] < claim["seq"]
            ]
            moment = A.Context(transcript=(turns[claim["seq"]],), spans=tuple(before[-1:]))
            results = score.judge(self.tools[claim["tool"]], moment)
            yield Finding("claim said", "PASS", results[claim["label"]]["status"])
            status = results[f"{claim['label']}.true"]["status"]
            if status == "FAIL":
                score.note("false claims found")
            yield Finding("claim true", passed(claim["consistent"]), status)

    def _phrases(self, record: Record, turns: dict[int, A.Turn], score: Score) -> Iterator[Finding]:
        """Judge each labelled turn by the phrase of its label, and by that of the label before as the counterpart."""
        before = ""
        for labelled in record["expected"]["agent_action_labels"]:
            label, turn = labelled["label"], turns[labelled["seq"]]
            if label not in self.phrases:
                score.note("labelled turns without a canned text")
                continue
            moment = A.Context(transcript=(turn,))
            yield Finding("canned phrase", "PASS", score.judge(self.phrases[label], moment)[label]["status"])
            if before and before != label:
                said = any(_is_in(text, turn.text) for text in self.texts[before])
                yield Finding("other phrase", passed(said), score.judge(self.phrases[before], moment)[before]["status"])
            before = label

    def _answer(self, raw: Record, span: Any, score: Score) -> Iterator[Finding]:
        """Judge one call of a tool: exactly the assertion of its outcome passes, none where it found nothing."""
        results = score.judge(self.tools[raw["name"]], A.Context(spans=(span,), transcript=()))
        outcome = f"{raw['name']}.{OUTCOMES.get(raw['outcome'], '')}"
        if raw["outcome"] != "empty" and outcome not in results:
            yield Finding("tool outcome", outcome, "no assertion")
        for name, result in results.items():
            if name.startswith(raw["name"] + "."):
                yield Finding("tool outcome", passed(name == outcome), result["status"])


def _texts(folder: Path) -> dict[str, list[str]]:
    """Return the canned texts of each label, over all tasks."""
    texts: dict[str, set[str]] = {}
    for task in msgspec.json.decode((folder / "star_tasks.json").read_bytes()).values():
        for label, text in task["replies"].items():
            texts.setdefault(label, set()).add(text)
    return {label: sorted(found) for label, found in texts.items()}


def _phrase(label: str, texts: list[str]) -> A.Plan:
    options = [r"\s+".join(map(_pattern, text.split())) for text in texts]
    return plan([{"id": label, "kind": "phrase", "role": "agent", "regex": "|".join(options)}])


def _pattern(word: str) -> str:
    """Return the pattern of one word of a canned text; a placeholder stands for anything."""
    return ".*".join(map(re.escape, _PLACEHOLDER.split(word)))


def _is_in(text: str, turn: str) -> bool:
    """Say the plain way whether a turn holds a canned text: its fixed pieces, one after the other."""
    heard, place = " ".join(turn.lower().split()), 0
    for piece in _PLACEHOLDER.split(" ".join(text.lower().split())):
        place = heard.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True

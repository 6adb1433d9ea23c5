"""Answers of a judge written down, and a judge that reads them out: the same verdicts without a model, anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem
from hotato.model import codec
from hotato.rubric.judge import Answer, Judge, JudgeError, Question

SCHEMA = "rubric.recording.v1"


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    provider: str
    endpoint: str
    model: str
    answers: dict[str, dict[str, Answer]]  # question -> seed -> answer


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    judges: list[_Kept]


class Recorded:
    """Reads the answers of a judge out of a recording; raises JudgeError for a question that it does not hold."""

    def __init__(self, kept: _Kept) -> None:
        self.provider, self.endpoint, self.model = kept.provider, kept.endpoint, kept.model
        self._answers = kept.answers

    def ask(self, question: Question) -> Answer:
        """Return the answer that was given to a question. Raise JudgeError."""
        found = self._answers.get(question.key, {}).get(str(question.seed))
        if found is None:
            raise JudgeError("not_recorded")
        return found


class Recorder:
    """Asks another judge and keeps what it answers."""

    def __init__(self, judge: Judge) -> None:
        self.provider, self.endpoint, self.model = judge.provider, judge.endpoint, judge.model
        self._judge = judge
        self.answers: dict[str, dict[str, Answer]] = {}

    def ask(self, question: Question) -> Answer:
        """Return the answer of the judge. Raise JudgeError, which is not kept."""
        answer = self._judge.ask(question)
        self.answers.setdefault(question.key, {})[str(question.seed)] = answer
        return answer


def recording_text(recorders: list[Recorder]) -> str:
    """Return what was answered as the text of a recording: judges and questions in a fixed order."""
    judges: list[dict[str, Any]] = [
        {
            "provider": one.provider,
            "endpoint": one.endpoint,
            "model": one.model,
            "answers": {
                key: {seed: msgspec.to_builtins(answer) for seed, answer in sorted(answers.items())}
                for key, answers in sorted(one.answers.items())
            },
        }
        for one in sorted(recorders, key=lambda one: (one.provider, one.endpoint, one.model))
    ]
    return codec.encode({"schema": SCHEMA, "judges": judges}, indent=2) + "\n"


def recorded(path: str) -> Callable[[str | None], Judge]:
    """Return what finds the judge of a model in a recording. Raise EvidenceError where the file is none."""
    try:
        value = msgspec.convert(codec.decode(read_text(path, error=EvidenceError)), _File, strict=True)
    except codec.JsonError as error:
        raise EvidenceError(
            Problem(
                code=error.code, file=path, line=error.line, column=error.column, message=f"not JSON: {error.message}"
            )
        ) from None
    except (msgspec.ValidationError, RecursionError) as error:
        said = f"no recording of a judge: {str(error)[:1].lower()}{str(error)[1:]}"
        raise EvidenceError(Problem(code="recording", file=path, message=said)) from None
    if value.schema != SCHEMA or not value.judges:
        said = f"no recording of a judge: the schema is not {SCHEMA}, or it holds none"
        raise EvidenceError(Problem(code="recording", file=path, message=said))

    def judge(model: str | None) -> Judge:
        found = [one for one in value.judges if model is None or one.model == model]
        if len(found) == 1:
            return Recorded(found[0])
        there = ", ".join(sorted({one.model for one in value.judges}))
        said = f"holds {'several judges' if found else 'no such model'}; the models in it are {there}"
        raise EvidenceError(Problem(code="recording", file=path, path="judge_model", message=said))

    return judge

"""One rubric and one call: ask, ask again where an answer is unusable, and make one judgement of the votes."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from hotato.model.codec import encode
from hotato.rubric import prompt
from hotato.rubric.answer import Vote, vote
from hotato.rubric.document import Rubric
from hotato.rubric.judge import Answer, Judge, JudgeError, Question
from hotato.rubric.prompt import Shown
from hotato.rubric.says import ERROR, INCONCLUSIVE, SAYS, STATUSES

TEMPERATURE = 0
_TRIES = 2
_AGAIN = 1000  # added to the seed of the second try


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge is to be asked, and the hashes by which an answer is found again."""

    user: str
    question_key: str
    input_sha256: str
    cache_key: str


def asked(rubric: Rubric, evidence: Shown, judge: Judge) -> Asked:
    """Return what a judge is to be asked by a rubric."""
    user = prompt.user_text(rubric, evidence)
    evaluation = rubric.evaluation
    decides = [user, evaluation.repetitions, evaluation.aggregation, float(evaluation.confidence_required)]
    input_sha256 = sha256(encode(decides).encode()).hexdigest()
    made_of = {
        "provider": judge.provider,
        "endpoint": judge.endpoint,
        "model": judge.model,
        "prompt": prompt.SHA256,
        "temperature": TEMPERATURE,
        "input": input_sha256,
    }
    return Asked(
        user=user,
        question_key=sha256(encode([prompt.SHA256, user]).encode()).hexdigest(),
        input_sha256=input_sha256,
        cache_key=sha256(encode(made_of).encode()).hexdigest(),
    )


def judgement(rubric: Rubric, evidence: Shown, judge: Judge, what: Asked) -> dict[str, Any]:
    """Return what a judge says, as plain data that holds all a result needs of it. Raise nothing: no answer is an ERROR."""
    if len(what.user) > prompt.MOST_CHARACTERS:
        said = f"{len(what.user)} characters, at most {prompt.MOST_CHARACTERS}"
        return failed(JudgeError("evidence_too_large", said))
    votes: list[Vote] = []
    answers: list[Answer] = []
    try:
        for seed in range(rubric.evaluation.repetitions):
            found, answer = _vote(rubric, evidence, judge, what, seed)
            votes.append(found)
            answers.append(answer)
    except JudgeError as error:
        return failed(error)
    return _settled(votes, answers)


def failed(error: JudgeError) -> dict[str, Any]:
    """Return the judgement that there is none."""
    return {**NOTHING, "status": ERROR, "code": error.code, "detail": error.detail}


NOTHING: dict[str, Any] = {
    "detail": "", "rationale": "", "confidence": None, "citations": [], "votes": [], "disagreement": False,
    "model_digest": None, "fingerprint": None, "constrained": None,
}  # fmt: skip


def is_judgement(value: dict[str, Any]) -> bool:
    """Say whether a kept value is a judgement of this version."""
    is_whole = value.keys() == {*NOTHING, "status", "code"}
    return is_whole and value["status"] in STATUSES and value["code"] in SAYS


def unasked(code: str) -> dict[str, Any]:
    """Return the judgement that a judge is not asked for."""
    return {**NOTHING, "status": INCONCLUSIVE, "code": code}


def _vote(rubric: Rubric, evidence: Shown, judge: Judge, what: Asked, seed: int) -> tuple[Vote, Answer]:
    for attempt in range(_TRIES):
        answer = judge.ask(
            Question(
                system=prompt.SYSTEM,
                user=what.user,
                schema=prompt.SCHEMA,
                key=what.question_key,
                seed=seed + attempt * _AGAIN,
            )
        )
        found = vote(answer.text, evidence, rubric.evaluation.confidence_required)
        if found is not None:
            return found, answer
    raise JudgeError("answer_unusable")


def _settled(votes: list[Vote], answers: list[Answer]) -> dict[str, Any]:
    """Return one judgement of votes: theirs where all say and count the same, else INCONCLUSIVE."""
    first = next((one for one in votes if one.status == INCONCLUSIVE), votes[0])
    status, code = first.status, first.code
    disagreement = len({one.verdict for one in votes}) > 1
    if disagreement:
        status, code = INCONCLUSIVE, "disagreement"
    turns = sorted({turn for one in votes for turn in one.turns})
    spans = sorted({span for one in votes for span in one.spans}, key=lambda span: int(span[2:]))
    return {
        **NOTHING,
        "status": status,
        "code": code,
        "rationale": first.rationale,
        "confidence": min(one.confidence for one in votes),
        "citations": [*({"turn": turn} for turn in turns), *({"span_id": span} for span in spans)],
        "votes": [
            {"verdict": one.verdict, "status": one.status, "code": one.code, "confidence": one.confidence}
            for one in votes
        ],
        "disagreement": disagreement,
        "model_digest": _one([answer.digest for answer in answers]),
        "fingerprint": _one([answer.fingerprint for answer in answers]),
        "constrained": all(answer.constrained for answer in answers),
    }


def _one(told: list[str | None]) -> str | None:
    """Return what answers told alike, all of it where they did not."""
    found = sorted({one for one in told if one is not None})
    return ", ".join(found) if found else None

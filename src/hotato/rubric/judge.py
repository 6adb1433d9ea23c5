"""What any judge is: something that is asked one question and answers in text."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge is asked. `schema` is the JSON Schema of an answer; `key` names the question in recordings.

    `seed` is the only thing in which one asking of a question differs from another.
    """

    system: str
    user: str
    schema: dict[str, Any]
    key: str
    seed: int = 0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge answered.

    `text` is as it came. `digest` names the very model, `fingerprint` the server's set-up, where they are told.
    `constrained` says whether the server held the model to the schema.
    """

    text: str
    digest: str | None = None
    fingerprint: str | None = None
    constrained: bool = False


class JudgeError(Exception):
    """A judge that gave no answer. `code` is one of those in `says`; `detail` is a fact about the server, never its text."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}" if detail else code)


class Judge(Protocol):
    """Asked by `run_rubrics`. Temperature is 0 whoever answers.

    `provider` is the kind of server, `endpoint` where it is (`loopback`, or host and port), `model` which one answers.
    """

    provider: str
    endpoint: str
    model: str

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question. Raise JudgeError."""

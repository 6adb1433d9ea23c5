"""A judge behind the API of Ollama: `/api/tags` for the model's digest, `/api/chat` for answers."""

from __future__ import annotations

from typing import Any

from hotato.rubric.judge import Answer, JudgeError, Question
from hotato.rubric.server import Server, place_of

URL = "http://127.0.0.1:11434"
_LEAST, _MOST = 4096, 131_072  # tokens of context
_OF_THE_ANSWER = 1024  # tokens


class Ollama:
    """Asks a model of an Ollama server, by default the one on this machine. Raise UsageError as `Server` does."""

    provider = "ollama"

    def __init__(
        self,
        model: str,
        *,
        url: str = URL,
        timeout: float = 120.0,
        egress_opt_in: bool = False,
        key_env: str | None = None,
    ) -> None:
        place = place_of(url, egress_opt_in=egress_opt_in)
        self.model, self.endpoint = model, place.told
        self._server = Server(place, timeout, key_env)
        self._digest: str | None = None

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question. Raise JudgeError."""
        digest = self._known()
        context = _context(question)
        answer = self._server.post(
            "/api/chat",
            {
                "model": self.model,
                "messages": [
                    {"role": "system", "content": question.system},
                    {"role": "user", "content": question.user},
                ],
                "stream": False,
                "format": question.schema,
                # without these, an older server drops the beginning of what is too long for it, and says nothing
                "truncate": False,
                "shift": False,
                "options": {
                    "temperature": 0,
                    "seed": question.seed,
                    "num_ctx": context,
                    "num_predict": _OF_THE_ANSWER,
                },
            },
        )
        read = answer.get("prompt_eval_count")
        if type(read) is int and read + _OF_THE_ANSWER > context:
            raise JudgeError("judge_cut_short", f"{read} tokens of {context}")
        message = answer.get("message")
        text = message.get("content") if type(message) is dict else None
        if type(text) is not str:
            raise JudgeError("judge_refused", "its answer has no message")
        # an answer that was broken off is no verdict, whatever its beginning says
        text = "" if answer.get("done_reason") == "length" else text
        return Answer(text=text, digest=digest, constrained=True)

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _known(self) -> str:
        """Return the digest of the model. Raise JudgeError where the server has no such model."""
        if self._digest is None:
            listed = self._server.get("/api/tags").get("models")
            names = {self.model, f"{self.model}:latest"}
            found = [one for one in (listed if type(listed) is list else ()) if _name(one) in names]
            if not found or type(found[0].get("digest")) is not str:
                raise JudgeError("model_missing", "")
            self._digest = f"sha256:{found[0]['digest'].removeprefix('sha256:')}"
        return self._digest


def _name(one: Any) -> str:
    return str(one.get("name", "")) if type(one) is dict else ""


def _context(question: Question) -> int:
    """Return the tokens of context that a question surely fits in: a token of text is at least a byte, mostly four.

    Two bytes a token leave room for other scripts than Latin. Raise JudgeError where that is more than is asked for.
    """
    wanted = (len(question.system.encode()) + len(question.user.encode())) // 2 + _OF_THE_ANSWER
    size = _LEAST
    while size < wanted:
        size *= 2
    if size > _MOST:
        raise JudgeError("evidence_too_large", f"about {wanted} tokens")
    return size

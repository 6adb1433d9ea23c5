"""A judge behind an OpenAI-compatible endpoint: `/chat/completions`, with a JSON Schema where the server takes one."""

from __future__ import annotations

from typing import Any

from hotato.rubric.judge import Answer, JudgeError, Question
from hotato.rubric.server import Server, place_of

_OF_THE_ANSWER = 1024  # tokens
_NOT_OFFERED = tuple(f"status {status}" for status in (400, 404, 415, 422, 501))


class OpenAICompatible:
    """Asks a model of a server that speaks chat completions. `url` ends before `/chat/completions`, mostly in `/v1`.

    `key_env` names the environment variable that holds the key. Raise UsageError as `Server` does.
    """

    provider = "openai"

    def __init__(
        self, model: str, *, url: str, timeout: float = 120.0, egress_opt_in: bool = False, key_env: str | None = None
    ) -> None:
        place = place_of(url, egress_opt_in=egress_opt_in)
        self.model, self.endpoint = model, place.told
        self._server = Server(place, timeout, key_env)
        self._constrained: bool | None = None  # not known before the first answer

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question. Raise JudgeError."""
        if self._constrained is not False:
            try:
                answer = self._asked(question, constrained=True)
            except JudgeError as error:
                if self._constrained or error.detail not in _NOT_OFFERED:
                    raise
            else:
                self._constrained = True
                return answer
        answer = self._asked(question, constrained=False)
        self._constrained = False
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _asked(self, question: Question, *, constrained: bool) -> Answer:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
            "temperature": 0,
            "seed": question.seed,
            "max_tokens": _OF_THE_ANSWER,
            "stream": False,
        }
        if constrained:
            schema = {"name": "verdict", "strict": True, "schema": question.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        answer = self._server.post("/chat/completions", body)
        choices = answer.get("choices")
        choice = choices[0] if type(choices) is list and len(choices) == 1 and type(choices[0]) is dict else {}
        message = choice.get("message")
        if type(message) is not dict:
            raise JudgeError("judge_refused", "its answer has no message")
        text = message.get("content")
        # an answer that was broken off, or kept back, is no verdict, whatever its beginning says
        is_whole = choice.get("finish_reason") in ("stop", None)
        fingerprint = answer.get("system_fingerprint")
        return Answer(
            text=text if isinstance(text, str) and is_whole else "",
            fingerprint=fingerprint if type(fingerprint) is str else None,
            constrained=constrained,
        )

"""What a trace leaves out unless it is asked for: who was called, and what was said."""

from __future__ import annotations

import re
from typing import Any

IDENTIFIERS = frozenset(
    (
        "call_id", "call.id", "agent_id", "agent.id", "gen_ai.agent.id", "gen_ai.conversation.id", "conversation.id",
        "conversation_id", "session.id", "session_id", "user.id", "user_id", "enduser.id", "caller_id", "phone_number",
        "participant.id", "elevenlabs.conversation_id", "elevenlabs.agent_id", "langfuse.session.id", "langfuse.user.id",
    )
)  # fmt: skip
TEXTS = frozenset(
    ("text", "transcript", "utterance", "messages", "prompt", "completion", "content", "instructions", "planned_text")
)
SPEECH = frozenset(("asr_partial", "asr_final", "turn", "user_turn", "agent_turn", "stt", "tts", "llm"))
_TEXTED = re.compile(
    r"(?:gen_ai\.(?:input|output)\.messages|gen_ai\.system_instructions|gen_ai\.(?:prompt|completion)\b.*"
    r"|llm\.(?:input|output)_messages\b.*|ai\.(?:prompt|response)\b.*|input\.value|output\.value"
    r"|(?:.*[._])?(?:transcript|messages|prompt|completion|instructions|utterance|user_input|chat_ctx|text))"
)
_USERINFO = re.compile(r"(?<=://)[^/?#@\s]+@")
_SECRET = re.compile(
    r"(?<=[?&])((?:x-amz-|x-goog-)?(?:signature|credential|security-token)|sig|token|access_token|auth|api_?key|apikey|key"
    r"|password|secret|awsaccesskeyid|client_secret|jwt)=[^&#\s]*",
    re.IGNORECASE,
)


def redacted(span: dict[str, Any], *, identifiers: bool, text: bool) -> dict[str, Any]:
    """Return a span without identifiers and what was said, as far as they are not to be kept.

    `identifiers` and `text` keep them. A span that lost text says `text_redacted`. Names, arguments, results and errors of
    tools stay, since checks read them; secrets in an address are masked with the identifiers.
    """
    if identifiers and text:
        return span
    made = dict(span)
    attributes = made.get("attributes")
    lost = False
    if type(attributes) is dict:
        inner, lost = _without(attributes, identifiers=identifiers, text=text)
        made["attributes"] = inner
        if not inner:
            del made["attributes"]
    kept, lost_here = _without(made, identifiers=identifiers, text=text, is_speech=span.get("type") in SPEECH)
    if lost or lost_here:
        kept["text_redacted"] = True
    if not identifiers and type(kept.get("url")) is str:
        kept["url"] = address(kept["url"])
    return kept


def _without(
    fields: dict[str, Any], *, identifiers: bool, text: bool, is_speech: bool = True
) -> tuple[dict[str, Any], bool]:
    kept: dict[str, Any] = {}
    lost = False
    for name, value in fields.items():
        if not identifiers and name.lower() in IDENTIFIERS:
            continue
        lowered = name.lower()
        if not text and ((is_speech and lowered in TEXTS) or ("." in name and _TEXTED.fullmatch(lowered))):
            lost = True
            continue
        kept[name] = value
    return kept, lost


def address(url: str) -> str:
    """Return an address without a user's name and password, and without the values of parameters that are secrets."""
    return _SECRET.sub(lambda match: f"{match[1]}=REDACTED", _USERINFO.sub("REDACTED@", url))

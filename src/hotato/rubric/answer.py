"""From a judge's text to a vote: strict about its form, and about what it cites."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.model import codec
from hotato.rubric.prompt import SCHEMA, Shown
from hotato.rubric.says import FAIL, INCONCLUSIVE, PASS

_MOST_RATIONALE = 1000  # characters that are kept
_MOST_READ = 4000  # characters that are looked at
_MOST_CITED = 50


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a judge, checked. `verdict` is what it said, `status` what that counts as, and `code` why."""

    verdict: str
    status: str
    code: str
    confidence: float
    rationale: str
    turns: tuple[int, ...]
    spans: tuple[str, ...]


def vote(text: str, evidence: Shown, confidence_required: float) -> Vote | None:
    """Return the vote that an answer is, None where it is no verdict in the schema.

    Nothing is read into an answer: text around the JSON, a field too many or a verdict that is none make it unusable,
    since whoever spoke on the call may have had it written.
    """
    try:
        value = codec.decode(text.strip())
    except codec.JsonError:
        return None
    if not _fits(value):
        return None
    turns, spans = tuple(dict.fromkeys(value["turns"])), tuple(dict.fromkeys(value["spans"]))
    confidence = float(value["confidence"])
    status, code = value["verdict"], "judged"
    if not (evidence.turns.issuperset(turns) and evidence.spans.issuperset(spans)):
        status, code = INCONCLUSIVE, "citation_unknown"
    elif status == INCONCLUSIVE:
        code = "said_unsure"
    elif not turns and not spans:
        status, code = INCONCLUSIVE, "citation_missing"
    elif confidence < confidence_required:
        status, code = INCONCLUSIVE, "confidence_low"
    return Vote(
        verdict=value["verdict"],
        status=status,
        code=code,
        confidence=confidence,
        rationale=masked(value["rationale"]),
        turns=tuple(turn for turn in turns if turn in evidence.turns)[:_MOST_CITED],
        spans=tuple(span for span in spans if span in evidence.spans)[:_MOST_CITED],
    )


def _fits(value: Any) -> bool:
    """Say whether a value is an answer, as SCHEMA has it."""
    if type(value) is not dict or value.keys() != SCHEMA["properties"].keys():
        return False
    confidence = value["confidence"]
    return (
        type(value["rationale"]) is str
        and type(value["turns"]) is list
        and all(type(turn) is int for turn in value["turns"])
        and type(value["spans"]) is list
        and all(type(span) is str for span in value["spans"])
        and value["verdict"] in (PASS, FAIL, INCONCLUSIVE)
        and type(confidence) in (int, float)
        and 0 <= confidence <= 1
    )


def masked(text: str) -> str:
    """Return what a judge says of its reasons, without personal data that it may repeat of the call."""
    from hotato.match.pii import redact_text

    return redact_text(" ".join(text.split())[:_MOST_READ])[:_MOST_RATIONALE]

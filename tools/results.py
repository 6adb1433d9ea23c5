"""What the fields of a result mean, for the schema and the pages; their types are in hotato.model.result."""

from __future__ import annotations

from typing import Any

SPAN_ID = {"type": "string", "pattern": "^s_(0|[1-9][0-9]*)$"}

TEXTS = {
    "id": "The id of the assertion.",
    "kind": "The kind of the assertion.",
    "status": "The verdict.",
    "deterministic": "Always true: no model had a part in it.",
    "dimension": "As the document says.",
    "severity": "As the document says.",
    "tags": "As the document says.",
    "description": "As the document says.",
    "code": "What was found, as a stable word.",
    "reason": "What was found, in a sentence that repeats nothing of what was said on the call.",
    "skipped": "There where a `when` was not met, so that the check did not run.",
    "exercised": "How many pieces of evidence the check looked at.",
    "vacuous": "There where the assertion holds of nothing.",
    "turn": "The position in the transcript at which the match starts.",
    "before_turn": "The first turn that matches `before`.",
    "after_turn": "The first turn that matches `after`.",
    "turns": "The turns that the verdict rests on, by position, without repeats.",
    "claims": "Claims that were judged, false ones alone where there are such: turn, outcome and the span that decided; 20 at most.",
    "pairs": "A first event, the one that followed it, if any, and the seconds between them, if both have a time; 20 at most.",
    "events": "The events that broke the rule, or where none did those that kept it: each a turn or a span, 20 at most.",
    "measured_sec": "The longest silence, in seconds.",
    "span_ids": "The spans that the verdict rests on, by position, without repeats.",
    "closest": "The recorded span or record that comes nearest, and each place at which it is not as expected.",
    "alignment": "One entry a step: what it asks for, the span it took, and how far it got.",
    "hits": "What leaked and where; never the text itself.",
    "redacted_transcript": "The transcript with personal data replaced by `[REDACTED]`.",
    "pack": "The name and version of the rule pack that was applied.",
    "matched_rules": "The rules that were broken; `turn` is a position in the whole transcript.",
    "met": "How many of them are so.",
    "of": "How many there are.",
    "refs": "The ids that the expression reads.",
    "observed": "How many there were.",
    "measured_ms": "The measurement that was judged, in milliseconds.",
    "measured": "The measurement that was judged, in the unit of its field.",
    "delta": "The field before and after the call, as the system of record has it; null where it is missing.",
    "contracts": "How many timing contracts there are, and how many are kept.",
}

# What a type cannot say about a field of a result.
LIMITS: dict[str, dict[str, Any]] = {
    **{
        name: {"minimum": 0}
        for name in (
            "exercised",
            "turn",
            "before_turn",
            "after_turn",
            "met",
            "of",
            "observed",
            "measured_ms",
            "measured",
        )
    },
    "span_ids": {"items": SPAN_ID, "uniqueItems": True},
}

"""What a run says: one result per assertion, and the envelope around them. Plain dicts, described here."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Status = Literal["PASS", "FAIL", "INCONCLUSIVE"]


class Difference(TypedDict):
    """One place where what was recorded is not what was expected; no `observed` where it is missing."""

    path: str
    expected: Any
    expected_type: str
    observed: NotRequired[Any]
    observed_type: str


class Closest(TypedDict):
    """The recorded call, exchange or record that comes nearest to what was expected."""

    span_id: NotRequired[str]
    differences: list[Difference]
    more: NotRequired[int]


class AlignedStep(TypedDict):
    """One step of a sequence beside the span that it took."""

    tool: NotRequired[str]
    span_type: NotRequired[str]
    state: Literal["matched", "missing", "earlier", "not_reached"]
    span_id: str | None


class PiiHit(TypedDict):
    """One piece of personal data: where, never what."""

    detector: str
    code: NotRequired[str]
    turn: int
    role: str


class Masked(TypedDict):
    """A mask in a redacted text, `start` and `end` in its code points, and the detector that found something there."""

    start: int
    end: int
    detector: str


class RedactedTurn(TypedDict):
    """One turn with every piece of personal data masked. What `masks` does not list was said so ("[REDACTED]")."""

    turn: NotRequired[int]
    role: str
    text: str
    masks: NotRequired[list[Masked]]


class PackName(TypedDict):
    """Which rule pack was applied."""

    name: str
    version: str


class MatchedRule(TypedDict):
    """A rule of a policy pack that was broken."""

    rule: str
    type: Literal["banned", "required_disclosure_missing"]
    turn: int | None


class Delta(TypedDict):
    """A field of a record before and after the call; null where the record or the field is missing."""

    field: str
    before: Any
    after: Any


class Contracts(TypedDict):
    """How many timing contracts there are, and how many are kept."""

    total: int
    passed: int


class Reference(TypedDict):
    """A turn or a span of the call."""

    turn: NotRequired[int]
    span_id: NotRequired[str]


Pair = TypedDict("Pair", {"from": Reference, "to": NotRequired[Reference], "sec": NotRequired[float]})


class ClaimJudged(TypedDict):
    """One claim: its turn, how it came out, and the event that decided."""

    turn: int
    code: str
    span_id: NotRequired[str]


class Result(TypedDict):
    """The result of one assertion. The fields after `vacuous` belong to some kinds only."""

    id: str
    kind: str
    status: Status
    deterministic: Literal[True]
    dimension: NotRequired[Literal["outcome", "policy", "conversation", "speech", "reliability"]]
    severity: NotRequired[str]
    tags: NotRequired[list[str]]
    description: NotRequired[str]
    code: str
    reason: NotRequired[str]
    skipped: NotRequired[Literal[True]]
    exercised: NotRequired[int]
    vacuous: NotRequired[Literal[True]]
    turn: NotRequired[int]
    before_turn: NotRequired[int]
    after_turn: NotRequired[int]
    turns: NotRequired[list[int]]
    span_ids: NotRequired[list[str]]
    claims: NotRequired[list[ClaimJudged]]
    pairs: NotRequired[list[Pair]]
    events: NotRequired[list[Reference]]
    closest: NotRequired[Closest]
    alignment: NotRequired[list[AlignedStep]]
    hits: NotRequired[list[PiiHit]]
    redacted_transcript: NotRequired[list[RedactedTurn]]
    pack: NotRequired[PackName]
    matched_rules: NotRequired[list[MatchedRule]]
    met: NotRequired[int]
    of: NotRequired[int]
    refs: NotRequired[list[str]]
    observed: NotRequired[int]
    measured_ms: NotRequired[int | float]
    measured: NotRequired[int | float]
    measured_sec: NotRequired[int | float]
    delta: NotRequired[Delta]
    contracts: NotRequired[Contracts]


DeterministicCount = TypedDict("DeterministicCount", {"pass": int, "fail": int, "inconclusive": int})
JudgeCount = TypedDict("JudgeCount", {"pass": Literal[0], "fail": Literal[0]})


class Summary(TypedDict):
    """Two counts that are never added up, and the same in words."""

    deterministic: DeterministicCount
    judge: JudgeCount
    note: str


class SourceNote(TypedDict):
    """Something that was lost, inferred or odd when a source was read."""

    code: str
    message: NotRequired[str]
    count: NotRequired[int]


class TranscriptFound(TypedDict):
    """What the transcript holds; counts that are 0 are left out."""

    format: str
    turns: int
    turns_without_time: NotRequired[int]
    turns_ending_before_start: NotRequired[int]
    turns_of_other_roles: NotRequired[int]
    captures: NotRequired[dict[str, bool]]
    notes: NotRequired[list[SourceNote]]


class TraceFound(TypedDict):
    """What the trace holds; counts that are 0 are left out."""

    format: str
    spans: int
    spans_without_time: NotRequired[int]
    spans_ending_before_start: NotRequired[int]
    calls: NotRequired[int]
    calls_without_arguments: NotRequired[int]
    calls_without_result: NotRequired[int]
    calls_with_repeated_id: NotRequired[int]
    captures: NotRequired[dict[str, bool]]
    notes: NotRequired[list[SourceNote]]


class Found(TypedDict):
    """What was found in each source of the call, and what was lost on the way."""

    transcript: NotRequired[TranscriptFound]
    trace: NotRequired[TraceFound]


class StateRead(TypedDict):
    """One read of the system of record that was answered. `observed` is the record, null where it holds none."""

    id: str
    resource: str
    filters: dict[str, Any]
    when: NotRequired[Literal["before", "after"]]
    observed: dict[str, Any] | None


class Envelope(TypedDict):
    """A whole run."""

    schema: Literal["assert.v1"]
    exit_code: Literal[0, 1, 2]
    inconclusive_policy: Literal["report", "fail", "refuse"]
    results: list[Result]
    summary: Summary
    evidence: NotRequired[Found]
    state_evidence: NotRequired[list[StateRead]]

"""What every report is made from: an envelope that was checked, and the call beside it, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from hotato.errors import Problem, UsageError
from hotato.model.call import Span, Turn, span_id
from hotato.report._lanes import Lanes
from hotato.report._sound import Sound

STATUSES = ("PASS", "FAIL", "INCONCLUSIVE")


class Place(NamedTuple):
    """Where something was written: a file, and a line and column that count from 1 (0 where unknown)."""

    file: str
    line: int = 0
    column: int = 0


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a report shows. None means "not given"; everything else was checked and can be relied on.

    - `envelope`, `base`: assert.v1 envelopes, this run's and an earlier one's; `rubric`: a rubric.v1 envelope.
    - `transcript`: each turn as `{turn, role, text, start, end}`, `turn` being what results name, times in seconds or
      None. Where the document looked for personal data, it is masked; `masked` says so.
    - `muted`: the turns in which personal data was said.
    - `spans`: each span as `{id, type, name, start, end, data}`, `id` being what results name; masked as the transcript is.
    - `places`: assertion id -> where it was written. `turns_at`, `spans_at`: the place of each turn and span.
    - `title`: a heading from the user. `audio`: the recording of the call; its second 0 is that of the call.
    - `lanes`: the recording of both sides that was scored.
    """

    envelope: dict[str, Any] | None = None
    transcript: list[dict[str, Any]] | None = None
    spans: list[dict[str, Any]] | None = None
    rubric: dict[str, Any] | None = None
    base: dict[str, Any] | None = None
    title: str | None = None
    places: Mapping[str, Place] | None = None
    turns_at: Sequence[Place] | None = None
    spans_at: Sequence[Place] | None = None
    masked: bool = False
    muted: tuple[int, ...] = ()
    audio: Sound | None = None
    lanes: Lanes | None = None


def view(
    *,
    assertions: Mapping[str, Any] | None = None,
    transcript: Iterable[Turn] | None = None,
    spans: Iterable[Span] | None = None,
    rubric: Mapping[str, Any] | None = None,
    base: Mapping[str, Any] | None = None,
    title: str | None = None,
    places: Mapping[str, Place] | None = None,
    turns_at: Sequence[Place] | None = None,
    spans_at: Sequence[Place] | None = None,
    audio: Sound | None = None,
    lanes: Lanes | None = None,
) -> View:
    """Return what a report shows. Raise UsageError, a ValueError, where an envelope is none."""
    envelope = None if assertions is None else checked(assertions, "assertions")
    masked = envelope is not None and any("redacted_transcript" in result for result in envelope["results"])
    turns = None if transcript is None else list(transcript)
    said, muted = _turns(turns, masked)
    mask = _mask if masked else _same
    return View(
        envelope=envelope,
        transcript=said,
        spans=None if spans is None else [_span(span, mask) for span in spans],
        rubric=None if rubric is None else rubric_checked(rubric),
        base=None if base is None else checked(base, "base"),
        title=title,
        places=places,
        turns_at=turns_at,
        spans_at=spans_at,
        masked=masked,
        muted=muted,
        audio=audio,
        lanes=lanes,
    )


def checked(value: Any, name: str) -> dict[str, Any]:
    """Return an assert.v1 envelope that is whole: every field as its schema has it, and counts that agree.

    Raise UsageError, a ValueError, with the path of what is wrong; `name` is what the value is called.
    """
    from hotato.model.result import Envelope

    if value is not None and not isinstance(value, (Mapping, list, str, int, float)):
        raise _refused(name, "", f"an object of type {type(value).__name__} was given")
    try:
        made = msgspec.convert(value, Envelope, strict=True)
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
        said, _, path = str(error).partition(" - at `$")
        raise _refused(name, path.rstrip("`").removeprefix("."), said[:1].lower() + said[1:]) from None
    unknown = next(_unknown(value, made, ""), None)
    if unknown is not None:
        raise _refused(name, unknown, "no envelope has this field")
    envelope: dict[str, Any] = dict(made)
    _agree(envelope, name)
    return envelope


def _refused(name: str, path: str, said: str) -> UsageError:
    return UsageError(Problem(code="envelope", file=name, path=path, message=f"not an assert.v1 envelope: {said}"))


def _unknown(value: Any, made: Any, path: str) -> Any:
    """Yield the path of each field that reading an envelope by its schema leaves out."""
    if isinstance(value, Mapping) and isinstance(made, dict):
        for key in value:
            if key not in made:
                yield f"{path}.{key}" if path else str(key)
            else:
                yield from _unknown(value[key], made[key], f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)) and isinstance(made, list):
        for place, pair in enumerate(zip(value, made, strict=False)):
            yield from _unknown(*pair, f"{path}[{place}]")


def _agree(envelope: dict[str, Any], name: str) -> None:
    """Refuse an envelope whose counts or exit code are not those of its results: a report must not repeat a false green."""
    statuses = [result["status"] for result in envelope["results"]]
    passed, failed, open_ = (statuses.count(status) for status in STATUSES)
    if envelope["summary"]["deterministic"] != {"pass": passed, "fail": failed, "inconclusive": open_}:
        raise _refused(name, "summary.deterministic", "the counts are not those of the results")
    policy = envelope["inconclusive_policy"]
    code = 2 if policy == "refuse" and open_ else 1 if failed or (policy == "fail" and open_) else 0
    if envelope["exit_code"] != code:
        raise _refused(name, "exit_code", f"{envelope['exit_code']}, where the results give {code}")


def rubric_checked(value: Any, name: str = "rubric") -> dict[str, Any]:
    """Return a rubric.v1 envelope; `name` is what the value is called. Raise UsageError where it is none, or where it claims to be deterministic."""
    said = ""
    if not isinstance(value, Mapping) or value.get("schema") != "rubric.v1":
        said = "the schema is not rubric.v1"
    elif "overall_score" in value:
        said = "overall_score: verdicts are never added up"
    else:
        results = value.get("results")
        if not isinstance(results, (list, tuple)):
            said = "results: must be a list"
        for place, result in enumerate(results if not said and results else ()):
            is_result = isinstance(result, Mapping) and isinstance(result.get("id"), str)
            if not is_result or result.get("status") not in (*STATUSES, "ERROR"):
                said = f"results[{place}]: a result has an id and a status"
            elif result.get("deterministic") is not False:
                said = f"results[{place}].deterministic: must be false"
            if said:
                break
    if said:
        raise UsageError(Problem(code="envelope", file=name, message=f"not a rubric.v1 envelope: {said}"))
    return dict(value)


def _turns(turns: Sequence[Turn] | None, masked: bool) -> tuple[list[dict[str, Any]] | None, tuple[int, ...]]:
    """Return turns as data, and the positions of those in which personal data was said."""
    if turns is None:
        return None, ()
    said = [(turn.role, turn.text) for turn in turns]
    muted: set[int] = set()
    if masked:
        from hotato.match import pii

        hits = pii.find(turns)
        muted = {turn for hit in hits for turn, _, _ in hit.spans}
        by_place = sorted(turns, key=lambda turn: turn.index)
        redacted = {t.index: (r["role"], r["text"]) for t, r in zip(by_place, pii.redact(turns, hits), strict=True)}
        said = [redacted[turn.index] for turn in turns]
    rows = [
        {"turn": turn.index, "role": role, "text": text, "start": turn.start, "end": turn.end}
        for turn, (role, text) in zip(turns, said, strict=True)
    ]
    return rows, tuple(sorted(muted))


def _span(span: Span, mask: Callable[[Any], Any]) -> dict[str, Any]:
    return {
        "id": span_id(span.index),
        "type": mask(span.type),
        "name": mask(span.name),
        "start": span.start,
        "end": span.end,
        "data": {key: mask(_told(inner)) for key, inner in span.data.items() if key not in _TIMES},
    }


_TIMES = frozenset({"start_sec", "end_sec", "time_sec", "type", "name"})  # told above, and no personal data


def _told(value: Any) -> Any:
    """Return a recorded value in which an object that JSON has no form of is told by its type, as explanations do."""
    from hotato.model import codec
    from hotato.model.given import kind_of

    if codec.is_json(value):
        return value
    if isinstance(value, Mapping):
        return {str(key): _told(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_told(inner) for inner in value]
    return f"({kind_of(value)}, of which JSON has no form)"


def _same(value: Any) -> Any:
    return value


def _mask(value: Any) -> Any:
    """Return a recorded value with personal data masked, in the way that explanations of results are."""
    from hotato.match.pii import MASK, redact_text

    if isinstance(value, Mapping):
        return {redact_text(str(key)): _mask(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask(inner) for inner in value]
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, (int, float)) and redact_text(str(value)) != str(value):
        return MASK
    return value

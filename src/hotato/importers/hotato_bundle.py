"""hotato's own shapes: a transcript, or a transcript and spans in one object.

How to get it: `transcript.json` as `hotato call import` writes it, or `{"transcript": [...], "spans": [...]}` written by your
own code. Turns and spans go through as they are, and `source` says what was recorded, as on the meta line of a trace. A trace by
itself, one span a line, is read by `bridge`.

What it does not record is what the source behind it did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from hotato.importers._importer import Content, Damage, Imported, Note, Options, Path
from hotato.importers._meta import Source, checked_meta
from hotato.importers._payload import identifier
from hotato.importers._roles import unlabelled, unused
from hotato.importers._speech import shaped
from hotato.match.text import fold_role

RANK = 10
Number = int | float


class Turn(msgspec.Struct, kw_only=True):
    """What must be right about a turn; seconds."""

    text: str
    role: str | None = None
    speaker: str | None = None
    start: Number | None = None
    end: Number | None = None


class Span(msgspec.Struct, kw_only=True):
    """What must be right about a span; seconds."""

    type: str
    name: str | None = None
    start_sec: Number | None = None
    end_sec: Number | None = None
    time_sec: Number | None = None


def _turns_of(value: Any) -> tuple[Path, list[Any]] | None:
    """Return the turns of a transcript and the way to them; None where a value is none of hotato's transcripts."""
    if type(value) is dict:
        for name in ("segments", "transcript"):
            inner = value.get(name)
            found = _turns_of(inner) if type(inner) in (list, dict) else None
            if found is not None:
                return (name, *found[0]), found[1]
        return None
    if type(value) is not list:
        return None
    alike = all(type(one) is dict and type(one.get("text")) is str and type(one.get("role")) is str for one in value)
    return ((), value) if alike else None


def _spans_of(value: Any) -> list[Any] | None:
    spans = value.get("spans") if type(value) is dict else None
    alike = type(spans) is list and all(type(one) is dict and type(one.get("type")) is str for one in spans)
    return spans if alike and "schemaUrl" not in value and "scope" not in value else None


def matches(content: Content) -> str:
    """Return why the content is hotato's own; empty where it is not."""
    value = content.value
    if _spans_of(value) is not None and (
        "transcript" in value or set(value) <= {"spans", "call_id", "schema", "source"}
    ):
        return "spans with a type"
    found = _turns_of(value)
    if found is None or (not found[1] and type(value) is list):
        return ""
    own = type(value) is list or set(value) <= {
        "transcript",
        "segments",
        "spans",
        "call_id",
        "schema",
        "source",
        "language",
    }
    return "turns with role and text" if own else ""


def read(content: Content, options: Options) -> Imported:
    """Return the transcript and the spans as they stand."""
    value = content.value
    made = Imported(format="hotato_bundle")
    if type(value) is list or (type(value) is dict and ("transcript" in value or "segments" in value)):
        if type(value) is dict and all(type(value.get(name)) in (list, dict) for name in ("segments", "transcript")):
            raise Damage((), "turns under 'segments' and under 'transcript'; one of them would be dropped")
        found = _turns_of(value)
        if found is None:
            raise Damage(("transcript",) if type(value) is dict else (), "must be a list of turns with role and text")
        made.transcript = [_turn(one, (*found[0], i), options) for i, one in enumerate(found[1])]
        made.notes += _notes(Counter(one.get("role") or one.get("speaker") for one in found[1]), options.roles)
    if type(value) is dict and value.get("spans") is not None:
        if type(value["spans"]) is not list:
            raise Damage(("spans",), "must be a list of spans")
        made.spans = [_span(one, ("spans", index)) for index, one in enumerate(value["spans"])]
    if made.transcript is None and made.spans is None:
        raise Damage((), "holds neither a transcript nor spans")
    if type(value) is dict:
        made.call_id = identifier(value.get("call_id"))
        _source(made, value)
    return made


def _source(made: Imported, value: dict[str, Any]) -> None:
    """Take what a call in one object says of its source."""
    checked_meta(value, ())
    source = shaped(value.get("source") or {}, Source, ("source",))
    made.captures = dict(source.captures or {})
    made.notes += source.notes or []


def _notes(heard: Mapping[str, int], roles: Mapping[str, str]) -> list[Note]:
    """Return what there is to say of speakers: that none is a party, and of mapped labels that do not occur."""
    parties = [label for label in heard if label in roles or fold_role(label) in ("agent", "caller")]
    return [*unlabelled({} if parties else heard), *unused(roles, heard)]


def _turn(value: Any, path: Path, options: Options) -> dict[str, Any]:
    turn = shaped(value, Turn, path)
    label = turn.role or turn.speaker or ""
    if not label.strip():
        raise Damage((*path, "role"), "must be a non-empty string")
    return {**value, "role": fold_role(options.roles[label])} if label in options.roles else value


def _span(value: Any, path: Path) -> dict[str, Any]:
    span = shaped(value, Span, path)
    attributes = value.get("attributes")
    named = {**(attributes if type(attributes) is dict else {}), **value}
    if span.type == "tool_call" and not any(type(named.get(name)) is str for name in ("name", "tool_name")):
        raise Damage((*path, "name"), "a tool call needs the name of its tool")
    return value  # type: ignore[no-any-return]  # an object: it was just read as one

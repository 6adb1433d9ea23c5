"""A trace: `hotato.voice_trace.v1`, one JSON object a line, a meta line first where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hotato.context.faults import Faults
from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem
from hotato.match.misspelt import LIKE_META, field_meant, time_meant, type_meant
from hotato.match.text import nfc
from hotato.model import codec
from hotato.model.call import SECONDS, Span, is_time
from hotato.model.limits import limit
from hotato.model.meta import CAPTURES, misspelt

SCHEMA = "hotato.voice_trace.v1"
_META_FIELDS = frozenset(("_meta", "schema", "source", "captures"))


def load_spans_file(path: Any) -> tuple[Span, ...]:
    """Return the spans of a trace file. Raise EvidenceError with the line of each that is malformed."""
    return load_trace_file(path)[0]


def load_trace_file(path: Any) -> tuple[tuple[Span, ...], dict[str, Any]]:
    """Return the spans of a trace file, and what its meta line says of its source: `format`, `captures`, `notes`.

    Raise EvidenceError with the line of each span that is malformed.
    """
    return read_trace(read_text(path, error=EvidenceError), str(path))


def read_trace(text: str, file: str) -> tuple[tuple[Span, ...], dict[str, Any]]:
    """Return spans and source of a trace file's text. Raise EvidenceError as `load_trace_file` does."""
    if not text.strip():
        said = "an empty file; a trace of no spans is its meta line alone"
        raise EvidenceError(Problem(code="trace", file=file, message=said))
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    try:
        records = codec.decode_lines(text, [line for _, line in lines])
    except codec.JsonError as error:
        raise EvidenceError(Problem(code=error.code, file=file, message=error.message)) from None
    if records is None or any(map(_is_meta, records[1:])):
        return _line_by_line(lines, text, file)
    faults = Faults(file)
    source: dict[str, Any] = {}
    if _is_meta(records[0]):
        faults.extend(_meta_problems(records[0], file, lines[0][0], first=True))
        source = source_of(records[0])
        records, lines = records[1:], lines[1:]
    return spans(records, file=file, lines=[number for number, _ in lines], faults=faults), source


def _is_meta(record: Any) -> bool:
    return type(record) is dict and record.get("_meta") is True


def _is_lost_meta(item: Mapping[str, Any]) -> bool:
    """Say whether what would count as a span, or as none, is a meta line but for its mark."""
    return item.get("type") in (None, *LIKE_META) and not _META_FIELDS.isdisjoint(item)


def _line_by_line(lines: Sequence[tuple[int, str]], text: str, file: str) -> tuple[tuple[Span, ...], dict[str, Any]]:
    """Return spans and source of lines of which some may be no strict JSON, every problem told with its line."""
    if len(lines) > 1 and _is_one_value(text):
        said = "one JSON document over several lines; a trace is JSON Lines, one span a line"
        raise EvidenceError(Problem(code="trace", file=file, line=1, column=1, message=said))
    records: list[Any] = []
    places: list[int] = []
    faults = Faults(file)
    source: dict[str, Any] = {}
    for number, line in lines:
        if faults.is_full:  # a file that is no trace is not tried line by line to its end
            break
        try:
            record = codec.decode(line)
        except codec.JsonError as error:
            truncated = number == lines[-1][0] and error.code == "json_syntax" and not text.endswith("\n")
            said = "truncated: the last line is no whole JSON object" if truncated else f"not JSON: {error.message}"
            faults.add(Problem(code=error.code, file=file, line=number, column=error.column, message=said))
            continue
        if _is_meta(record):
            faults.extend(_meta_problems(record, file, number, first=number == lines[0][0]))
            source = source_of(record)
            continue
        records.append(record)
        places.append(number)
    return spans(records, file=file, lines=places, faults=faults), source


def _is_one_value(text: str) -> bool:
    try:
        codec.decode(text)
    except codec.JsonError:
        return False
    return True


def spans(
    value: Any, *, file: str = "spans", lines: Sequence[int] = (), faults: Faults | None = None
) -> tuple[Span, ...]:
    """Return the spans of records in hand, positions kept. Raise EvidenceError with every malformed one.

    `file` names the input in messages, `lines` the line of each record; `faults` holds what was found before.
    """
    if not isinstance(value, (list, tuple)):
        raise EvidenceError(Problem(code="trace", file=file, message="spans are a list of objects"))
    made: list[Span] = []
    found = Faults(file) if faults is None else faults
    as_it_is = bool(lines) or _is_plain(value)
    for index, item in enumerate(value):
        told = item if as_it_is else _plain(item)
        span = _span(index, told) if told is not None or item is None else ("", "a value in it contains itself")
        if isinstance(span, Span):
            made.append(span)
        else:
            name, said, *guess = span
            line = lines[index] if index < len(lines) else 0
            path = name if lines else f"[{index}].{name}" if name else f"[{index}]"
            found.add(Problem(code="span", file=file, line=line, path=path, message=said, guess="".join(guess)))
    found.raise_any()
    return tuple(made)


def _span(index: int, item: Any) -> Span | tuple[str, ...]:
    """Return a span, or which field is wrong, how, and where it is misspelt what it was meant to be."""
    if type(item) is not dict and isinstance(item, Span):
        if not is_time(item.start) or not is_time(item.end):
            return "end_sec" if is_time(item.start) else "start_sec", f"must be {SECONDS}"
        missed = _misspelt(item.type, item.data)
        return missed or Span(index, item.type, item.name, item.start, item.end, item.data)
    if type(item) is not dict and not isinstance(item, Mapping):
        return "", "a span is a JSON object with a type"
    kind = item.get("type")
    if _is_lost_meta(item):
        return "_meta", 'a meta line has "_meta": true; what it says of the source would be lost'
    if type(kind) is not str or not kind:
        return "type", "a span needs a type, such as tool_call or http_exchange"
    attributes = item.get("attributes")
    if attributes is not None and not isinstance(attributes, Mapping):
        return "attributes", "must be an object"
    name = item.get("name")
    if name is None and attributes is not None:
        name = attributes.get("name")
    if name is None and kind == "tool_call":
        name = item.get("tool_name", (attributes or {}).get("tool_name"))
        if name is None:
            return "name", "a tool call needs the name of its tool"
    if name is not None and type(name) is not str:
        return "name", "must be a string"
    start, end = item.get("start_sec"), item.get("end_sec")
    if start is None:
        start = item.get("time_sec")
    if not is_time(start) or not is_time(end):
        return "end_sec" if is_time(start) else "start_sec", f"must be {SECONDS}"
    missed = _misspelt(kind, item)
    timed = time_meant(item) if not missed and (start is None or end is None) else None
    if timed is not None:
        return timed[0], "no such field; a span has its times in seconds, and this one would be lost", timed[1]
    return missed or Span(index, kind, None if name is None else nfc(name), start, end, item)


def _misspelt(kind: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which field of a span is misspelt, what is lost by it, and what it was meant to be; empty where none is."""
    meant = type_meant(kind)
    if meant:
        return "type", "no such type; a check of what it seems to be would not see this span", meant
    missed = field_meant(kind, data)
    return () if missed is None else (missed[0], "no such field; what it holds would be lost", missed[1])


def _is_plain(items: Sequence[Any]) -> bool:
    """Say whether all spans in hand are as JSON has them."""
    try:
        msgspec.json.encode(items, enc_hook=_refuse)
    except (TypeError, OverflowError, RecursionError, ValueError):
        return False
    return all(type(item) is dict for item in items)


def _plain(item: Any) -> Any:
    """Return a span in hand as JSON would have it; as it is where that is what it is, or where JSON has no form of it.

    None where a value contains itself, or is nested so deep that it may.
    """
    if isinstance(item, Span):
        return item
    try:
        msgspec.json.encode(item, enc_hook=_refuse)
    except TypeError:
        return _copied(item)
    except RecursionError:
        return None
    except (OverflowError, ValueError):
        return item
    return item


def _refuse(value: Any) -> Any:
    raise TypeError(type(value).__name__)


def _copied(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value in which every mapping is a dict and every sequence a list; NumPy's values are Python's."""
    if depth < limit("depth"):
        if callable(getattr(type(value), "tolist", None)):
            value = value.tolist()
        if isinstance(value, Mapping):
            return {key: _copied(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return [_copied(inner, depth + 1) for inner in value]
    return value


def _is_source(source: Any) -> bool:
    """Say whether what a meta line tells of its source can be relied on."""
    if type(source) is not dict:
        return False
    captures, notes = source.get("captures"), source.get("notes")
    if type(source.get("format", "")) is not str and source["format"] is not None:
        return False
    return (captures is None or (type(captures) is dict and all(type(v) is bool for v in captures.values()))) and (
        notes is None or (type(notes) is list and all(type(n) is dict and type(n.get("code")) is str for n in notes))
    )


def source_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a meta line says of its source: `format`, `captures` of what is known to be recorded or not, `notes`."""
    source = record.get("source")
    if type(source) is not dict:
        return {}
    found = {name: source[name] for name in ("format", "captures", "notes") if source.get(name) is not None}
    if type(found.get("captures")) is dict:
        found["captures"] = {what: told for what, told in found["captures"].items() if what in CAPTURES}
    return found


def source_problem(record: Mapping[str, Any], file: str, line: int = 0) -> Problem | None:
    """Return what is wrong with what a meta line, or a call in one object, says of its source; None where nothing is."""
    source = record.get("source")
    if source is not None and not _is_source(source):
        said = "must be an object with a format in text, captures of true or false, and notes with a code each"
        return Problem(code="trace_meta", file=file, line=line, path="source", message=said)
    missed = misspelt(record)
    if missed is None:
        return None
    said = "no such field; what it says of the trace would be lost"
    return Problem(code="trace_meta", file=file, line=line, path=missed[0], message=said, guess=missed[1])


def _meta_problems(record: Mapping[str, Any], file: str, line: int, *, first: bool) -> list[Problem]:
    schema = record.get("schema", SCHEMA)
    if schema != SCHEMA:
        said = f"the trace is of another schema; {SCHEMA} is read"
        return [Problem(code="trace_schema", file=file, line=line, path="schema", message=said)]
    wrong = source_problem(record, file, line)
    if wrong is not None:
        return [wrong]
    if not first:
        said = "a second meta line: two traces in one file are two calls"
        return [Problem(code="trace_meta", file=file, line=line, message=said)]
    return []

"""A transcript: a list of turns, `{"segments": [...]}`, or either under a `transcript` key."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem
from hotato.match.text import fold, fold_role
from hotato.model import codec
from hotato.model.call import Turn

MOST_TEXT = 1_000_000
_LIST = re.compile(r'"(?:segments|transcript)"\s*:\s*\[')


def load_transcript_file(path: Any) -> tuple[Turn, ...]:
    """Return the turns of a transcript file, normalised. Raise EvidenceError with the line of what is wrong."""
    return read_transcript(read_text(path, error=EvidenceError), str(path))


def read_transcript(text: str, file: str) -> tuple[Turn, ...]:
    """Return the turns of a transcript file's text. Raise EvidenceError as `load_transcript_file` does."""
    try:
        value = codec.decode(text)
    except codec.JsonError as error:
        said = f"not JSON: {error.message}" if text.strip() else "an empty file; a call of no turns is written []"
        if error.message == "Extra data":
            said = "more follows the first JSON value; a transcript is one list of turns"
        problem = Problem(code=error.code, file=file, line=error.line, column=error.column, message=said)
        raise EvidenceError(problem) from None
    return turns(value, file=file, text=text)


def turns(value: Any, *, file: str = "transcript", text: str = "") -> tuple[Turn, ...]:
    """Return the turns of a value in hand: roles and typography in one spelling, positions kept.

    `file` names the input in messages; `text` is its JSON text where there is one, to tell lines. Turn objects are taken
    as mappings are. Raise EvidenceError with every malformed turn.
    """
    items = _items(value, file)
    made: list[Turn] = []
    wrong: list[tuple[int, str, str]] = []
    for index, item in enumerate(items):
        turn = _turn(index, item)
        if isinstance(turn, Turn):
            made.append(turn)
        else:
            wrong.append((index, *turn))
    if wrong:
        lines = _lines(text, len(items)) if text else []
        raise EvidenceError(
            Problem(
                code="turn",
                file=file,
                line=lines[index][0] if index < len(lines) else 0,
                column=lines[index][1] if index < len(lines) else 0,
                path=f"[{index}].{name}" if name else f"[{index}]",
                message=said,
            )
            for index, name, said in wrong
        )
    return tuple(made)


def _items(value: Any, file: str) -> Sequence[Any]:
    if isinstance(value, Mapping):
        inner = value.get("segments", value.get("transcript"))
        if isinstance(inner, Mapping):
            inner = inner.get("segments")
        value = inner
    if isinstance(value, (list, tuple)):
        return value
    said = 'a transcript is a list of turns, or {"segments": [...]}, or either under "transcript"'
    raise EvidenceError(Problem(code="transcript", file=file, message=said))


def _turn(index: int, item: Any) -> Turn | tuple[str, str]:
    """Return a turn, or which field is wrong and how."""
    if isinstance(item, Turn):
        return Turn(index, fold_role(item.role), fold(item.text), item.start, item.end)
    if type(item) is not dict and not isinstance(item, Mapping):
        return "", f"a turn is an object with role and text; found {_type(item)}"
    text = item.get("text")
    if type(text) is not str:
        return "text", f"must be a string; found {_type(text) if 'text' in item else 'nothing'}"
    if len(text) > MOST_TEXT:
        return "text", f"{len(text)} characters in one turn; at most {MOST_TEXT} are read"
    role = item.get("role", item.get("speaker", "unknown"))
    if type(role) is not str or not role.strip():
        return "role", f"must be a non-empty string; found {_type(role)}"
    start, end = item.get("start"), item.get("end")
    if not _is_time(start) or not _is_time(end):
        name, seconds = ("end", end) if _is_time(start) else ("start", start)
        return name, f"must be a finite number of seconds or null; found {_type(seconds)}"
    return Turn(index, fold_role(role), fold(text), start, end)


def _is_time(seconds: Any) -> bool:
    return seconds is None or (type(seconds) in (int, float) and abs(seconds) <= codec.LARGEST)


def _type(value: Any) -> str:
    names = {
        str: "a string",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _lines(text: str, count: int) -> list[tuple[int, int]]:
    """Return line and column at which each of the first `count` items of the list of turns begins."""
    decoder = json.JSONDecoder()
    match = _LIST.search(text)
    place = match.end() if text.lstrip()[:1] == "{" and match else text.find("[") + 1
    out: list[tuple[int, int]] = []
    try:
        while len(out) < count:
            place = re.compile(r"[\s,]*").match(text, place).end()  # type: ignore[union-attr]  # it can match nothing
            out.append((text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)))
            _, place = decoder.raw_decode(text, place)
    except ValueError:
        pass
    return out

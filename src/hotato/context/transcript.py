"""A transcript: a list of turns, `{"segments": [...]}`, or either under a `transcript` key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hotato.context.files import read_text
from hotato.errors import EvidenceError, Problem
from hotato.match.text import fold, fold_role
from hotato.model import codec
from hotato.model.call import SECONDS, Turn, is_time
from hotato.model.limits import limit, raising

_BETWEEN = re.compile(r"[\s,]*")
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
    wrong: dict[int, tuple[str, str]] = {}
    more = 0
    most, longest = limit("problems"), limit("turn_characters")
    for index, item in enumerate(items):
        turn = _turn(index, item, longest)
        if isinstance(turn, Turn):
            made.append(turn)
        elif len(wrong) < most:
            wrong[index] = turn
        else:
            more += 1
    if wrong:
        raise EvidenceError(_problems(wrong, more, file, text))
    return tuple(made)


def _problems(wrong: Mapping[int, tuple[str, str]], more: int, file: str, text: str) -> Iterator[Problem]:
    """Yield what is wrong, by the index of the turn, with its place where there is a text."""
    places = _places(text, wrong) if text else {}
    for index, (name, said) in wrong.items():
        line, column = places.get(index, (0, 0))
        path = f"[{index}].{name}" if name else f"[{index}]"
        yield Problem(code="turn", file=file, line=line, column=column, path=path, message=said)
    if more:
        said = f"{more} more problems are not listed; {raising('problems')}"
        yield Problem(code="too_many_problems", file=file, message=said)


def _items(value: Any, file: str) -> Sequence[Any]:
    if isinstance(value, Mapping):
        both = value.get("segments"), value.get("transcript")
        if all(isinstance(one, (list, tuple, Mapping)) for one in both):
            said = "turns under 'segments' and under 'transcript'; one of them would be dropped"
            raise EvidenceError(Problem(code="transcript", file=file, message=said))
        inner = value.get("segments", value.get("transcript"))
        if isinstance(inner, Mapping):
            inner = inner.get("segments")
        value = inner
    if isinstance(value, (list, tuple)):
        return value
    said = 'a transcript is a list of turns, or {"segments": [...]}, or either under "transcript"'
    raise EvidenceError(Problem(code="transcript", file=file, message=said))


def _turn(index: int, item: Any, longest: int) -> Turn | tuple[str, str]:
    """Return a turn, or which field is wrong and how."""
    if type(item) is not dict and isinstance(item, Turn) and is_time(item.start) and is_time(item.end):
        return Turn(index, fold_role(item.role), fold(item.text), item.start, item.end, item.seq, item.words)
    if type(item) is not dict and not isinstance(item, Mapping):
        if isinstance(item, Turn):
            return "end" if is_time(item.start) else "start", f"must be {SECONDS}"
        return "", f"a turn is an object with role and text; found {_type(item)}"
    text = item.get("text")
    if type(text) is not str:
        return "text", f"must be a string; found {_type(text) if 'text' in item else 'nothing'}"
    if len(text) > longest:
        most = f"at most {longest} are read; {raising('turn_characters')}"
        return "text", f"{len(text)} characters in one turn; {most}"
    role = item["role"] if "role" in item else item.get("speaker", "unknown")
    if type(role) is not str or not role.strip():
        return "role", f"must be a non-empty string; found {'an empty one' if type(role) is str else _type(role)}"
    start, end = item.get("start"), item.get("end")
    if not is_time(start) or not is_time(end):
        name, seconds = ("end", end) if is_time(start) else ("start", start)
        is_beyond = type(seconds) in (int, float)
        return name, f"must be {SECONDS}; found {'one beyond' if is_beyond else _type(seconds)}"
    seq, words = item.get("seq"), item.get("words")
    if seq is not None and type(seq) is not int:
        return "seq", f"must be a whole number or null; found {_type(seq)}"
    return Turn(index, fold_role(role), fold(text), start, end, seq, _words(words) if type(words) is list else ())


def _words(words: Any) -> tuple[tuple[str, float, float], ...]:
    """Return text, start and end of each word; nothing where any of them is not told, as a row with holes tells no time."""
    found = []
    for word in words if type(words) is list else ():
        if not isinstance(word, Mapping):
            return ()
        text, start, end = word.get("word", word.get("text")), word.get("start"), word.get("end")
        if type(text) is not str or start is None or end is None or not (is_time(start) and is_time(end)):
            return ()
        found.append((fold(text), start, end))
    return tuple(found)


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


def _places(text: str, wanted: Mapping[int, object]) -> dict[int, tuple[int, int]]:
    """Return line and column at which the wanted items of the list of turns begin."""
    decoder = json.JSONDecoder()
    match = _LIST.search(text)
    place = match.end() if text.lstrip()[:1] == "{" and match else text.find("[") + 1
    out: dict[int, tuple[int, int]] = {}
    line, counted = 1, 0
    try:
        for index in range(max(wanted) + 1):
            place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # it can match nothing
            if index in wanted:
                line, counted = line + text.count("\n", counted, place), place
                out[index] = (line, place - text.rfind("\n", 0, place))
            _, place = decoder.raw_decode(text, place)
    except (ValueError, RecursionError):
        pass
    return out

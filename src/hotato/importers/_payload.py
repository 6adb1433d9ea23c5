"""What sources put where a value belongs: JSON as text, JSON inside a JSON string, Python literals, parts of a message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from hotato.importers._importer import Damage, Path
from hotato.importers._notes import Lost
from hotato.model import codec
from hotato.model.limits import limit

MOST_LAYERS = 4
MOST_LITERAL = 100_000
_CUT = ("...", "\u2026")
_TOKEN = re.compile(
    r"""\s+|[uU]?'(?:[^'\\\n]|\\.)*'|[uU]?"(?:[^"\\\n]|\\.)*"|-?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,4})?"""
    r"""|(?:True|False|None)\b|[\[\](){},:]"""
)


def argument_fields(value: Any, lost: Lost) -> dict[str, Any]:
    """Return the fields of a span that hold what a tool was called with.

    `arguments` where they can be read (`{}` for an empty text), `arguments_raw` with the text where they cannot, nothing
    where the source recorded none.
    """
    if value is None:
        lost["arguments_missing"] += 1
        return {}
    if type(value) is not str:
        return {"arguments": value}
    if not value.strip():
        return {"arguments": {}}
    found = decoded(value)
    if found is None or type(found) in (dict, list):
        return {"arguments": {} if found is None else found}
    lost["arguments_truncated" if value.rstrip().endswith(_CUT) else "arguments_unparsable"] += 1
    return {"arguments_raw": value}


def answer(value: Any, lost: Lost) -> Any:
    """Return what a tool answered: a text that holds an object or a list as that, any other text as it is."""
    if type(value) is not str:
        return value
    found = decoded(value)
    if type(found) is str and found.lstrip()[:1] in ("{", "[") and found.rstrip().endswith(_CUT):
        lost["result_truncated"] += 1
    return value if found is None else found


def decoded(text: str) -> Any:
    """Return the object or list that a text holds, through JSON strings inside JSON strings, or as a Python literal.

    None for the text `null`. Any other text is returned without the JSON quotes around it.
    """
    for _ in range(MOST_LAYERS):
        head = text.strip()
        if head == "null":
            return None
        if head[:1] not in ("{", "[", '"', "("):
            return text
        try:
            value = codec.decode(text)
        except codec.JsonError:
            return _literal(text)
        if type(value) is not str:
            return value
        text = value
    return text


def _literal(text: str) -> Any:
    """Return what a Python literal of plain values says, as JSON would; the text where it is anything else."""
    head = text.strip()
    if len(head) > MOST_LITERAL or head[:1] not in ("{", "[", "(") or not _is_plain(head):
        return text
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash that escapes nothing is a warning, and the text is not ours
            return _plain(ast.literal_eval(head))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _is_plain(text: str) -> bool:
    """Say whether a text is made of nothing but literals and brackets, not nested too deep: safe to be parsed."""
    place = depth = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            return False
        token = match.group()
        depth += (token in "[({") - (token in "])}")
        if not 0 <= depth <= limit("depth"):
            return False
        place = match.end()
    return True


def _plain(value: Any) -> Any:
    """Return a literal's value in JSON's types. Raise ValueError for what JSON has no type for."""
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float and abs(value) <= codec.LARGEST:
        return value
    if type(value) in (list, tuple):
        return [_plain(item) for item in value]
    if type(value) is dict and all(type(key) in (str, int) for key in value):
        made = {str(key): _plain(item) for key, item in value.items()}
        if len(made) == len(value):
            return made
    raise ValueError


def message_text(content: Any, path: Path, lost: Lost, line: int = 0) -> str:
    """Return the text of a message: a string, a list of strings and blocks, or nothing. Raise Damage for anything else."""
    if content is None:
        return ""
    if type(content) is str:
        return content
    if type(content) is dict:
        content = [content]
    if type(content) is not list:
        raise Damage(path, "must be text or a list of parts", line)
    texts: list[str] = []
    for index, part in enumerate(content):
        found = part if type(part) is str else _part(part, (*path, index), line)
        if found is None:
            lost["content_not_text"] += 1
        else:
            texts.append(found)
    return joined(texts)


def _part(part: Any, path: Path, line: int) -> str | None:
    if type(part) is not dict:
        raise Damage(path, "must be text or an object", line)
    for name in ("text", "transcript", "refusal"):
        text = part.get(name)
        if type(text) is str:
            return text
        if type(text) is dict and type(text.get("value")) is str:
            return str(text["value"])
    return None


def joined(texts: Iterable[str]) -> str:
    """Return pieces of one message as one text, a blank where two pieces would run together."""
    out = ""
    for text in texts:
        apart = not out or not text or out[-1:].isspace() or text[:1].isspace()
        out += text if apart else " " + text
    return out


def some(value: Any) -> str | None:
    """Return a text that is there and not empty; None for anything else."""
    return value if type(value) is str and value.strip() else None


def identifier(value: Any) -> str | None:
    """Return an id as text; None where there is none."""
    if type(value) is int:
        return str(value)
    return some(value)

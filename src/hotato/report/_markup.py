"""Text of a call or a document inside Markdown: shown as it is, and never markup, a mention, a link or an image."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hotato.model import codec
from hotato.plan.text import safe

MOST_SHOWN = 400  # code points of one text in a cell
_MARKUP = re.compile(r"[\\`*_\[\]<>|~&$]")
# what GitHub makes a link or a person of when it stands in prose, whatever is escaped
_CALLS = re.compile(r"[@#]|://|\bwww\.|\bGH-[0-9]|:[A-Za-z0-9_+-]+:")
_NOT_PLAIN = frozenset("`|\\")
_ENTITIES = {char: f"&#{ord(char)};" for char in "&<>|`*_[]\\~$!:@#\"'"}


def prose(text: str) -> str:
    """Return a sentence for a table's cell; in code where it holds what would call somebody or lead somewhere."""
    text = _cut(text)
    return code(text) if _CALLS.search(text) else _MARKUP.sub(lambda match: "\\" + match[0], text)


def code(text: str) -> str:
    """Return a name or a value, in code, for a table's cell or anywhere else."""
    text = _cut(text)
    if not text:
        return "(empty)"
    if _NOT_PLAIN.isdisjoint(text) and text == text.strip():
        return f"`{text}`"
    return f"<code>{''.join(_ENTITIES.get(char, char) for char in text)}</code>"


def value(value: object) -> str:
    """Return a value as JSON, in code."""
    return code(codec.encode(value))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose cells are Markdown already."""
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def _cut(text: str) -> str:
    text = safe(text)
    hidden = len(text) - MOST_SHOWN
    return f"{text[:MOST_SHOWN]}... ({hidden} more characters)" if hidden > 0 else text

"""The text of a document before it is parsed: one spelling of line ends, nothing that cannot be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hotato.errors import DocumentError, Problem
from hotato.model.limits import limit, raising

_MOST_SHOWN = 20
_REFUSED = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]"
_REFUSED_YAML = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"


def clean(text: str, file: str) -> str:
    """Return the text without one leading byte order mark and with LF line ends. Raise DocumentError.

    Refused are texts over the limit, empty ones, and those that hold control characters (but tab, LF
    and CR), lone surrogates, U+FFFE, U+FFFF, a later byte order mark and, in YAML, U+2028 and U+2029: they are line
    ends in one version of YAML and text in the next.
    """
    if len(text) > limit("document_bytes"):
        said = f"{len(text)} characters; at most {limit('document_bytes')} are read; {raising('document_bytes')}"
        raise DocumentError(Problem(code="too_large", message=said, file=file))
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DocumentError(Problem(code="empty_document", message="the text is empty", file=file, line=1, column=1))
    problems = list(_refusals(text, file))
    if problems:
        raise DocumentError(problems)
    return text


def is_json(text: str) -> bool:
    """Say whether a text is to be read as JSON: its first character that is not blank is `{` or `[`."""
    return text.lstrip(" \t\n")[:1] in ("{", "[")


def place(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of a character of cleaned text."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _refusals(text: str, file: str) -> Iterator[Problem]:
    refused = re.compile(_REFUSED if is_json(text) else _REFUSED_YAML)
    for count, found in enumerate(refused.finditer(text)):
        if count == _MOST_SHOWN:
            break
        line, column = place(text, found.start())
        yield Problem(code="bad_character", message=_said(ord(found.group())), file=file, line=line, column=column)


def _said(point: int) -> str:
    if point == 0xFEFF:
        return "U+FEFF: a byte order mark may stand only at the very start"
    if 0xD800 <= point <= 0xDFFF:
        return f"U+{point:04X}: half of a surrogate pair; the text is not valid UTF-8"
    if point in (0x2028, 0x2029):
        return f'U+{point:04X}: an invisible line separator; write it as "\\u{point:04x}" in double quotes'
    return f"U+{point:04X}: not allowed in a document" + ("; a NUL or control character" if point < 0xA0 else "")

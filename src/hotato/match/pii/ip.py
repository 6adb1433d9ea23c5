"""Network addresses, version 4 and 6, written or said ("one nine two dot ..."); a version number is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Language

CODES = {
    "v4": "four numbers of up to 255 with dots between",
    "v6": "groups of hexadecimal digits with colons between",
}
_V4 = re.compile(r"(?<![\w.])(?<![0-9][-/])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w-]|\.[0-9])")
_V6 = re.compile(r"(?<![\w:.])[0-9a-fA-F:]{3,39}(?:(?<=:)[0-9]{1,3}(?:\.[0-9]{1,3}){3})?(?![\w:]|\.[0-9])")
_NAMED = re.compile(
    r"(?:version|versions|ver|release|build|firmware|driver|section|clause|chapter|paragraph|update|upgrade|sdk|v)"
    r"[ .:]{0,2}(?:is |to |from |number )?$",
    re.IGNORECASE,
)
_NOBODY = ("0.", "127.", "255.255.")
_LOOK = 24
_PARTS = 4


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every network address of a stretch that is somebody's: not the machine's own, not an empty one."""
    text = stretch.text
    if text.count(".") >= 3:
        for match in _V4.finditer(text):
            if _is_v4(match.group().split(".")) and not _NAMED.search(
                text, max(0, match.start() - _LOOK), match.start()
            ):
                yield _found("v4", text, match.start(), match.end())
    if "::" in text or text.count(":") >= 6:
        yield from _sixth(text)
    yield from _said(stretch)


def _found(code: str, text: str, start: int, end: int) -> Found:
    return Found(code, start, end, "".join(char for char in text[start:end].lower() if char.isalnum()))


def _is_v4(parts: list[str]) -> bool:
    """Say whether four numbers are an address that can be somebody's."""
    if any(int(part) > 255 or (len(part) > 1 and part[0] == "0") for part in parts):
        return False
    return not ".".join(parts).startswith(_NOBODY)


def _sixth(text: str) -> Iterator[Found]:
    from ipaddress import IPv6Address

    for match in _V6.finditer(text):
        piece = match.group()
        bare = piece if piece.endswith("::") else piece.rstrip(":")
        if bare.count(":") < 2 or len(bare) < 6 or not re.search("[0-9]", bare):
            continue
        try:
            address = IPv6Address(bare)
        except ValueError:
            continue
        if not address.is_loopback and not address.is_unspecified:
            yield _found("v6", text, match.start(), match.start() + len(bare))


@cache
def _dots(language: Language) -> frozenset[str]:
    return frozenset(word for word, mark in language.marks.items() if mark == ".")


def _said(stretch: Stretch) -> Iterator[Found]:
    """Yield four numbers with a dot said between them."""
    if len(stretch.figures) < _PARTS:
        return
    dots, low = _dots(stretch.language), stretch.text.lower()
    if not any(word in low for word in dots):
        return
    parts: list[str] = []
    start = end = -1
    aloud = False
    for figure in [*stretch.figures, None]:
        gap = "" if figure is None else low[end : figure.start] if end >= 0 and figure.start - end < 16 else "?"
        word = gap.strip(" \n,-")
        if figure is not None and parts and word in (*dots, "."):
            parts.append(figure.digits)
            aloud |= word != "." or figure.said
        elif figure is not None and parts and not word and len(parts[-1] + figure.digits) <= 3:
            parts[-1] += figure.digits
            aloud |= figure.said
        else:
            if (
                len(parts) == _PARTS
                and aloud
                and _is_v4(parts)
                and not _NAMED.search(low, max(0, start - _LOOK), start)
            ):
                yield Found("v4", start, end, "".join(parts), True)
            if figure is None:
                return
            parts, start, aloud = [figure.digits], figure.start, figure.said
        end = figure.end

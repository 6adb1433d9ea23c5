"""E-mail addresses, written (`@`, `[at]`) or said ("at", "dot", spelt letters)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hotato.match.pii._found import Found
from hotato.match.pii._spelt import said_address
from hotato.match.pii._stretch import Stretch

CODES = {
    "address": "an address with its sign",
    "said": "an address said or spelt aloud",
}
CUES = dict.fromkeys("email emails e-mail mail address mailbox".split(), "email")

_LONGEST_LOCAL, _LONGEST_DOMAIN = 64, 255
_LOCAL = re.compile(r"[\w.+%'~-]+")
_DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,10}(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?![^\W_])", re.IGNORECASE
)
_DOTTED = re.compile(r"\.[^\W_]")
_USER_INFO = re.compile(r"[^/?#\s]*//:")
_FILES = frozenset("png jpg jpeg gif svg webp bmp ico pdf css js ts json xml html htm mp3 mp4 wav zip".split())


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every e-mail address of a stretch."""
    written = list(_written(stretch)) if "@" in stretch.text else []
    yield from written
    if stretch.language.marks.keys().isdisjoint(stretch.speech.heard) and not _DOTTED.search(stretch.text):
        return
    for start, end, value in said_address(stretch.text, stretch.language):
        if not any(found.start < end and start < found.end for found in written[-1:]):
            yield Found("said", start, end, value, True)


def _written(stretch: Stretch) -> Iterator[Found]:
    text = stretch.text
    done = place = 0
    while (place := text.find("@", place)) >= 0:
        left, right = place, place + 1
        left -= text[left - 1 : left] in (" ", "\n")
        right += text[right : right + 1] in (" ", "\n")
        place += 1
        local = _LOCAL.match(text[max(done, left - _LONGEST_LOCAL) : left][::-1])
        domain = _DOMAIN.match(text, right, right + _LONGEST_DOMAIN) if local is not None else None
        if local is None or domain is None:
            continue
        start = left - len(local.group().rstrip(".'-+%~"))
        if text[left] != "@" and text[start:left].lower() in stretch.language.not_local:
            continue
        if start == left or _is_file(domain.group()) or _USER_INFO.match(text[max(0, start - 100) : left][::-1]):
            continue
        value = (text[start:left] + domain.group()).lower()
        yield Found("address", start, domain.end(), "".join(c for c in value if c.isalnum()))
        done = place = domain.end()


def _is_file(domain: str) -> bool:
    """Say whether a domain is the end of a file name (`logo@2x.png`)."""
    return domain.rsplit(".", 1)[1].lower() in _FILES

"""International bank account numbers: a country's length and shape, and two right check digits; written or spelt aloud."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hotato.match.pii._found import Found
from hotato.match.pii._stretch import Stretch

CODES = {"checksum": "a country, the length and the shape of its account numbers, and right check digits"}
CUES = dict.fromkeys("iban ibans".split(), "iban")

_SHORTEST, _LONGEST = 15, 34
_FEWEST = 10  # digits; no country has fewer
_WORDS = frozenset("is it at me be to ad am by do no so as he an or of in on my we us if go up Is It My At".split())
_REACH = 260  # characters within which a spelt number ends
_CODE = re.compile(r"(?<![^\W_])[A-Za-z]{2}(?=[ -]?[0-9]{2})")
_BEFORE = re.compile(r"(?<![^\W_])[A-Za-z][ .,-]{0,2}[A-Za-z][ .,:-]{0,3}$")
_TOUCHING = re.compile(r"[A-Za-z][A-Za-z] ?-?[0-9]")
_TWO = re.compile(r"(?<![^\W_])([a-z]{4,9})[ ,.-]{1,2}([a-z]{4,9})[ ,.:-]{1,3}$", re.IGNORECASE)
_NAMES = 24
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+")
_BETWEEN = re.compile(r"[\s.,\-/|:]{0,4}")


def detect(stretch: Stretch) -> Iterator[Found]:
    """Yield every account number of a stretch."""
    if stretch.count + sum(map(stretch.text.count, "0123456789")) < _FEWEST:
        return  # each digit of one is written, or stands in a figure
    done = 0
    for start in sorted(set(_openings(stretch))):
        if start < done:
            continue
        hit = _written(stretch.text, start)
        if hit is None and (stretch.text[start : start + 2] not in _WORDS or "iban" in stretch.speech.heard):
            hit = _spelt(stretch, start)
        if hit is not None:
            yield hit
            done = hit.end


def _openings(stretch: Stretch) -> Iterator[int]:
    """Yield where two letters stand before figures, as the code of a country does."""
    text = stretch.text
    if _TOUCHING.search(text):
        for code in _CODE.finditer(text):
            yield code.start()
    if stretch.count >= _FEWEST:
        after = 0
        for figure in stretch.figures:
            follows, after = figure.start - after < 3 and after > 0, figure.end
            if not follows:
                least = max(0, figure.start - _NAMES)
                before = _BEFORE.search(text, least, figure.start) or _named(stretch, least, figure.start)
                if before is not None:
                    yield before.start()


def _named(stretch: Stretch, start: int, end: int) -> re.Match[str] | None:
    """Return where two letters are given by their names ("delta echo") right before a figure."""
    letters = stretch.language.letters
    named = _TWO.search(stretch.text, start, end) if letters else None
    return named if named is not None and all(word.lower() in letters for word in named.groups()) else None


def is_right(value: str) -> bool:
    """Say whether letters and digits are an account number of a country that has such."""
    if not _SHORTEST <= len(value) <= _LONGEST or not value[2:4].isdigit():
        return False
    if sum(map(str.isdigit, value)) < _FEWEST:
        return False
    from stdnum import iban

    return iban.is_valid(value, check_country=False)


def _written(text: str, start: int) -> Found | None:
    """Return the number that begins here, its characters with at most one separator between."""
    value, place, ends = "", start, []
    while len(value) < _LONGEST and place < len(text):
        if not (text[place].isascii() and text[place].isalnum()):
            if text[place] not in " -./_|\n" or not text[place + 1 : place + 2].isalnum():
                break
            place += 1
            continue
        value += text[place]
        place += 1
        if len(value) == 4 and not (value[:2].isalpha() and value[2:].isdigit()):
            return None
        if not text[place : place + 1].isalnum():
            ends.append((len(value), place))
    if len(value) < _SHORTEST:
        return None
    for size, end in reversed(ends):
        if is_right(value[:size]):
            return Found("checksum", start, end, value[:size].lower())
    return None


def _spelt(stretch: Stretch, start: int) -> Found | None:
    """Return the number that begins here with two letters said one by one, or as a word of two, and digits said."""
    text, figures, language = stretch.text, stretch.figures, stretch.language
    place = bisect_left(figures, start, key=lambda figure: figure.start)
    value, at, last, best = "", start, start, None
    while len(value) < _LONGEST and at < min(len(text), start + _REACH):
        if place < len(figures) and figures[place].start <= at:
            value, at = value + figures[place].digits, figures[place].end
            place += 1
            if len(value) < 3:
                return None
        else:
            token = _TOKEN.match(text, at)
            if token is None:
                break
            word, at = token.group(), token.end()
            word = language.letters.get(word.lower(), word)
            if word.lower() in language.fillers and len(word) > 1:
                at = _skip(text, at)
                continue
            if len(word) > 1 and not (len(word) <= 4 and (word.isupper() or len(value) == 0)):
                break
            value += word
        last = at
        if is_right(value):
            best = Found("checksum", start, last, value.lower(), True)
        at = _skip(text, at)
    return best


def _skip(text: str, at: int) -> int:
    gap = _BETWEEN.match(text, at)
    return at if gap is None else gap.end()

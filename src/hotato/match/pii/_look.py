"""The first look: which speeches of a call may hold anything, and in which languages they are worth reading.

It counts figures and number words of every language by plain string operations and costs about as much as one search
for digits; only what passes is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from hotato.match.pii import _further
from hotato.match.pii._clean import clean, smooth
from hotato.match.pii._speech import BEFORE, Labels, Speech
from hotato.match.pii._stretch import SHORTEST
from hotato.match.spoken import DEFAULT, Language, language, languages
from hotato.model.call import Turn

_MOST_TURNS = 4
_FEWEST = 2  # words of another language that are no English ones, before its reading runs
_FEW = 3  # digits; no detector finds anything in so few
_SIGNS = 3
_SCALE = 8  # letters; "million" and the like stand inside English words
_LONGEST_KEPT = 400  # characters: what was seen at a longer text is not kept
_GLUED = 4  # digits of a number that is written as one word
_ENGLISH = frozenset("um due to once sex six dix cent mil on die plus zero en".split())  # words of English as well
_DOTTED = re.compile(r"\.\w")
_TABLE: dict[str, str] = {
    char: char.lower() if char.isalpha() else "0" if char.isdigit() else char if char in "@\n" else " "
    for char in map(chr, range(128))
}
_PLAIN = str.maketrans(_TABLE)


class _Words(msgspec.Struct, frozen=True, eq=False):
    """The words of a language by what they are good for.

    `own` are number words that are no English ones, `within` what stands inside numbers that are written as one word.
    """

    table: Language
    own: frozenset[str]
    at: frozenset[str]
    marks: frozenset[str]
    within: tuple[str, ...] = ()


class _Known(msgspec.Struct, frozen=True, eq=False):
    """The words of all languages; `figures` tells how many digits a number word can stand for."""

    figures: Mapping[str, int]
    foreign: frozenset[str]
    within: tuple[str, ...]
    at: frozenset[str]
    telling: frozenset[str]
    back_channel: frozenset[str]
    others: tuple[_Words, ...]
    first: _Words


def _figures(table: Language) -> frozenset[str]:
    """Return the words of a language that are numbers or parts of such."""
    paired = (word for pair in table.pairs for word in pair.split() if word not in table.links)
    return frozenset().union(table.digits, table.teens, table.tens, table.repeats, table.scales, table.hundreds, paired)


def _most(table: Language, word: str) -> int:
    """Return the most digits that a number word can add to a number."""
    if word in table.digits:
        return len(table.digits[word])
    if word in table.teens or word in table.tens:
        return 2
    return table.scales.get(word, 4 if word in _figures(table) else 0)


@cache
def _known() -> _Known:
    english = language(DEFAULT)
    tables = [language(name) for name in languages() if name != DEFAULT] + list(_further.TABLES)
    numbers = _figures(english)
    rows = []
    for table in tables:
        signs = {**english.marks, **table.marks}  # addresses mix languages: "arroba example dot com"
        within = tuple(
            sorted(word for word in table.scales if table.glued and word not in numbers and len(word) < _SCALE)
        )
        own = _figures(table) - numbers - _ENGLISH
        rows.append(_Words(msgspec.structs.replace(table, marks=signs), own, table.at, frozenset(signs), within))
    first = _Words(english, numbers, english.at, frozenset(english.marks))
    every = [english, *tables]
    figures = numbers.union(*map(_figures, tables))
    at = frozenset().union(*(table.at for table in every))
    return _Known(
        {word: max(_most(table, word) for table in every) for word in figures},
        frozenset().union(*(row.own | row.at for row in rows)),
        tuple(sorted({word for row in rows for word in row.within})),
        at,
        figures | at,
        frozenset().union(*(table.back_channel for table in every), *map(_figures, every)),
        tuple(rows),
        first,
    )


def speeches(
    turns: Sequence[Turn], labels: Labels, regions: tuple[str, ...], *, plain: bool = False
) -> Iterator[tuple[Speech, list[Language]]]:
    """Yield every speech of a call that may hold something, with the tables by which to read it.

    The turns are given in the order of time. `plain` looks at every text anew.
    """
    lines = [_line(t.text) if plain or len(t.text) > _LONGEST_KEPT else _kept(t.text) for t in turns]
    seen: set[int] = set()
    for place, line in enumerate(lines):
        if not line.is_telling or place in seen:
            continue
        group = _group(place, turns, lines)
        if len(group) == 1 and line.weight <= _FEW and not (line.has_signs or line.names_sign):
            continue
        seen.update(group)
        own = [lines[at] for at in group]
        weight, signs, names = 0, False, False
        for one in own:
            weight, signs, names = weight + one.weight, signs or one.has_signs, names or one.names_sign
        if not (signs or names or weight > _FEW):
            continue
        words = " ".join([one.flat for one in own]).split()
        if not signs and names:
            signs = _is_address(words, "\n".join([turns[at].text for at in group]), _known())
        if not signs and weight <= _FEW:
            continue
        first = max(0, group[0] - _MOST_TURNS)
        heard = frozenset(words).union(*[one.flat.split() for one in lines[first : group[0]]])
        if signs or weight >= SHORTEST or not heard.isdisjoint(labels.hints):
            said = [turns[at] for at in group]
            yield Speech(said, turns[first : group[0]], heard, labels, regions), _tables(words, said)


def mark_words() -> frozenset[str]:
    """Return the words of all languages for marks in addresses."""
    known = _known()
    return known.first.marks.union(*[row.marks for row in known.others])


def may_hold(text: str) -> bool:
    """Say whether a text has a figure, a number word or the sign of an address, without which there is nothing in it."""
    return (_kept(text) if len(text) <= _LONGEST_KEPT else _line(text)).is_telling


class _Line(msgspec.Struct, frozen=True, gc=False):
    """What a first look at one text tells; `flat` is it in lower case without accents and marks, figures as zeros.

    `weight` is the most digits that it can hold; `has_signs` says whether there are signs of an address, `names_sign`
    whether there is the word for one; `goes_on` whether it only tells another to go on, or repeats digits.
    """

    flat: str
    is_telling: bool = False
    weight: int = 0
    has_signs: bool = False
    names_sign: bool = False
    goes_on: bool = False


def _line(text: str) -> _Line:
    known, flat = _known(), (text if text.isascii() and text.isprintable() else smooth(text).lower()).translate(_PLAIN)
    words = flat.split()
    within = [part for part in known.within if part in flat]
    weight, at = flat.count("0"), "@" in flat
    numbers = not known.telling.isdisjoint(words)
    goes_on = len(text) <= BEFORE
    for word in words if goes_on else ():
        if word not in known.back_channel and "0" not in word:
            goes_on = False
            break
    if not (weight or at or numbers or within):
        return _Line(flat, goes_on=goes_on)
    if numbers:
        weight += sum([known.figures.get(word, 0) for word in words])
    if within:
        weight += _GLUED * sum([part in word and word not in known.figures for word in words for part in within])
    signs = at or (weight > _FEW and (text.count(".") >= _SIGNS or ":" in text) and _has_signs(text))
    return _Line(flat, True, weight, signs, numbers and not known.at.isdisjoint(words), goes_on)


_kept = lru_cache(maxsize=4096)(_line)


def _group(place: int, turns: Sequence[Turn], lines: Sequence[_Line]) -> list[int]:
    """Return the places of the turns that are one speech with a turn."""
    role = turns[place].role
    out = [place]
    for way in (-1, 1):
        at = place + way
        while 0 <= at < len(turns):
            if turns[at].role == role:
                out.append(at)
            elif not lines[at].goes_on:
                break
            at += way
    return sorted(out) if len(out) > 1 else out


def _has_signs(text: str) -> bool:
    """Say whether marks stand as in a network address, where few digits are enough."""
    return re.search(r"[0-9]\.[0-9]+\.[0-9]+\.[0-9]|:[0-9a-fA-F]{0,4}:", clean(text)[0]) is not None


def _is_address(words: list[str], text: str, known: _Known) -> bool:
    return any(
        not row.at.isdisjoint(words) and (not row.marks.isdisjoint(words) or _DOTTED.search(text) is not None)
        for row in (known.first, *known.others)
    )


def _tables(words: list[str], turns: Sequence[Turn]) -> list[Language]:
    """Return the tables by which to read: the English one, and others whose words are there."""
    known = _known()
    found = [known.first.table]
    if known.foreign.isdisjoint(words) and not any(part in word for part in known.within for word in words):
        return found
    for other in known.others:
        own = sum([word in other.own or any(part in word for part in other.within) for word in words])
        signs = not other.at.isdisjoint(words) and any(_is_address(words, turn.text, known) for turn in turns)
        if own >= _FEWEST or signs:
            found.append(other.table)
    return found

"""The number words and the signs of addresses of all languages, as the first look counts them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from hotato.match.pii import _further
from hotato.match.spoken import DEFAULT, Language, language, languages

_SCALE = 8  # letters; "million" and the like stand inside English words
_ENGLISH = frozenset("um due to once sex six dix cent mil on die plus zero en".split())  # words of English as well


class Words(msgspec.Struct, frozen=True, eq=False):
    """The words of a language by what they are good for.

    `own` are number words that are no English ones, `within` what stands inside numbers that are written as one word.
    """

    table: Language
    own: frozenset[str]
    at: frozenset[str]
    marks: frozenset[str]
    within: tuple[str, ...] = ()


class Known(msgspec.Struct, frozen=True, eq=False):
    """The words of all languages; `figures` tells how many digits a number word can stand for."""

    figures: Mapping[str, int]
    foreign: frozenset[str]
    within: tuple[str, ...]
    at: frozenset[str]
    telling: frozenset[str]
    back_channel: frozenset[str]
    others: tuple[Words, ...]
    first: Words


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
def known() -> Known:
    """Return the words of all languages."""
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
        rows.append(Words(msgspec.structs.replace(table, marks=signs), own, table.at, frozenset(signs), within))
    first = Words(english, numbers, english.at, frozenset(english.marks))
    every = [english, *tables]
    figures = numbers.union(*map(_figures, tables))
    at = frozenset().union(*(table.at for table in every))
    return Known(
        {word: max(_most(table, word) for table in every) for word in figures},
        frozenset().union(*(row.own | row.at for row in rows)),
        tuple(sorted({word for row in rows for word in row.within})),
        at,
        figures | at,
        frozenset().union(*(table.back_channel for table in every), *map(_figures, every)),
        tuple(rows),
        first,
    )


def mark_words() -> frozenset[str]:
    """Return the words of all languages for marks in addresses."""
    every = known()
    return every.first.marks.union(*[row.marks for row in every.others])

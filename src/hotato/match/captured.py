"""Parts of an utterance that a regex captured, beside recorded values: the same, another one, or not to be told.

Both are read in one language and in one way. A number counts only where nobody can take it for another, and only as a
whole: what runs over an edge of the part, or is followed by "million" or "and a half", is not the number that was said.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from hotato.match.said import text_of
from hotato.match.spoken import Language, numbers
from hotato.match.spoken._amounts import Amount, amounts, plain_value
from hotato.match.spoken._currency import CODES, SIGNS, may_mean
from hotato.match.spoken._language import unaccented
from hotato.match.spoken._numbers import Number
from hotato.match.spoken._readings import rows
from hotato.match.spoken._says import is_alone, only_amount, says
from hotato.match.text import fold

_CODE = re.compile(r"0[0-9]+")
_NEXT = re.compile(r"[ -]{1,2}([^\W\d_]+)")
_DOUBTFUL = re.compile(r"(?<![0-9.,'])[1-9][0-9]{0,2}[.,'][0-9]{3}(?![0-9]|[.,'][0-9])")
_LEAST_SPELT = 4  # fewer numbers side by side may be a price: "four forty two", "four oh five"
_LONGEST = 1000  # a longer text is neither a number nor a code


class Part(msgspec.Struct, frozen=True):
    """Words of an utterance. `amount` is the one number or amount of money that they are, None where they are none.

    `is_cut` tells that a word or a number runs over an edge of them.
    """

    words: str
    amount: Amount | None
    is_cut: bool


def part(text: str, start: int, end: int, table: Language) -> Part:
    """Return the part of an utterance between two places."""
    words = text[start:end]
    if len(words) > _LONGEST:
        return Part(words, None, True)
    found = numbers(text, table)
    read = amounts(text, table, found)
    joined = rows(text, found, table)
    spans = [*((one.start, one.end) for one in found), *((row[0], row[1]) for row in joined)]
    is_cut = any(first < edge < last for first, last in spans for edge in (start, end))
    is_cut = is_cut or any(text[edge - 1 : edge].isalnum() and text[edge : edge + 1].isalnum() for edge in (start, end))
    for one in read:
        before, after = text[one.start : start], text[end : one.end]
        is_cut = is_cut or (one.start < start < one.end and not _is_unit(before, table))
        is_cut = is_cut or (one.start < end < one.end and not _is_unit(after, table))
    amount = None
    if not is_cut:
        inside = [one for one in found if start <= one.start and one.end <= end]
        spelt = _spelt(inside, [row for row in joined if start <= row[0] and row[1] <= end])
        here = [spelt] if spelt is not None else [one for one in read if one.start < end and one.end > start]
        if len(here) == 1 and is_alone(words, max(0, here[0].start - start), min(here[0].end, end) - start, table):
            amount = here[0] if here[0].sure and not _goes_on(text, here[0].end, table) else None
    return Part(words, amount, is_cut)


def _spelt(inside: list[Number], joined: list[tuple[int, int, str]]) -> Amount | None:
    """Return the number that is said digit by digit or in pairs, in one row; None where there is no such one."""
    if len(inside) < _LEAST_SPELT or len(joined) != 1 or any(len(one.digits) > 2 for one in inside):
        return None
    start, end, digits = joined[0]
    if (start, end) != (inside[0].start, inside[-1].end):
        return None
    return Amount(plain_value(digits), "", start, end)


def _is_unit(piece: str, table: Language) -> bool:
    """Say whether what stands beside a figure in an amount is its currency, and no further figure or sign."""
    bare = piece.strip(" -,")
    low = unaccented(bare.lower())
    return bare in SIGNS or bare in CODES or any(low == unaccented(one) for one in (*table.currencies, *table.cents))


def _goes_on(text: str, end: int, table: Language) -> bool:
    """Say whether a scale or a part of one is said behind an amount, so that it is more than what was read."""
    links = frozenset(map(unaccented, table.joins | table.and_cents | table.one))
    more = frozenset(map(unaccented, (*table.scales, *table.halves)))
    for _ in range(3):
        word = _NEXT.match(text, end)
        if word is None:
            return False
        low, end = unaccented(word.group(1).lower()), word.end()
        if low in more:
            return True
        if low not in links:
            return False
    return False


def is_said(said: Part, value: Any, table: Language) -> bool | None:
    """Say whether a part says what was recorded; None where either may be read in two ways, or the part in none."""
    text = text_of(value) if type(value) in (str, int, float) else None
    if text is None:
        return False
    if len(text) > _LONGEST:
        return None
    if type(value) is str and (_CODE.fullmatch(text) or only_amount(text, table) is None):
        if said.is_cut or _DOUBTFUL.search(text) or _DOUBTFUL.search(said.words):
            return None
        return not says(fold(said.words), table).isdisjoint(says(text, table))
    wanted = only_amount(text, table) if type(value) is str else _plain(text)
    if said.amount is None or wanted is None or not wanted.sure:
        return None
    return said.amount.value == wanted.value and _is_one_currency(said.amount.currency, wanted.currency)


def _plain(text: str) -> Amount:
    """Return a recorded number as an amount."""
    value = plain_value(text.lstrip("-"))
    return Amount("-" + value if text.startswith("-") and value != "0" else value, "", 0, len(text))


def _is_one_currency(one: str, other: str) -> bool:
    if not one or not other or "cents" in (one, other):
        return True
    return not may_mean(one).isdisjoint(may_mean(other))

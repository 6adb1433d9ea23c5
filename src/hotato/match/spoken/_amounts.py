"""Amounts as people say and write them: whole numbers, decimals and money, with a map back to the characters.

"forty two point five" is 42.5, "forty two dollars and ten cents" 42.10, "$1,234.50" 1234.50. A value is decimal text
without needless zeros, so that equal amounts are equal text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from hotato.match.spoken._currency import CODES, SIGNS
from hotato.match.spoken._language import Language, unaccented
from hotato.match.spoken._numbers import Number, numbers

_WRITTEN = re.compile(r"[0-9]+(?:[.,'][0-9]+)*")
_SPACED = re.compile(r"(?<![0-9] )[0-9]{1,3}(?: [0-9]{3})+(?:,[0-9]+)?(?![0-9])")
_ONE_MARK = re.compile(r"[1-9][0-9]{0,2}([., '])[0-9]{3}")
_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile(r"(US\$|[$\u20ac\u00a3\u00a5\u20b9]|(?<![^\W_])[A-Z]{3}) ?\Z")
_SIGN_AFTER = re.compile(r" ?([$\u20ac\u00a3\u00a5\u20b9]|[A-Z]{3}(?![^\W_]))")
_PIECE = re.compile(r"[ ,-]{0,2}([^\W\d_]+)")
_LONGEST = 24


class Amount(msgspec.Struct, frozen=True, gc=False):
    """A number or an amount of money; `price` is the other reading of a bare "four forty two", else empty.

    `currency` is empty for a plain number, else a key of `_currency.py`; `plain` where it was written as digits alone.
    `sure` is false where people may mean another value by it: one mark before three digits ("2.500") groups or begins
    tenths, and numbers said side by side ("four forty two") are no one number.
    """

    value: str
    currency: str
    start: int
    end: int
    price: str = ""
    plain: bool = False
    sure: bool = True


class _Figure(msgspec.Struct, frozen=True, gc=False):
    digits: str
    cents: str
    start: int
    end: int
    price: str = ""
    said: bool = True
    whole: bool = True
    sure: bool = True
    grouped: bool = False


class _Words(msgspec.Struct, frozen=True):
    points: frozenset[str]
    minus: frozenset[str]
    and_cents: frozenset[str]
    cents: frozenset[str]
    currencies: dict[str, str]


@cache
def _words(language: Language) -> _Words:
    def plain(listed: frozenset[str]) -> frozenset[str]:
        return frozenset(map(unaccented, listed))

    keys = {unaccented(word): key for word, key in language.currencies.items()}
    return _Words(plain(language.points), plain(language.minus), plain(language.and_cents), plain(language.cents), keys)


def amounts(text: str, language: Language, found: list[Number] | None = None) -> list[Amount]:
    """Return every number and amount of money of a text, in order."""
    reader = _Reader(text, language)
    figures = list(reader.figures(numbers(text, language) if found is None else found))
    out = []
    at = 0
    while at < len(figures):
        amount, at = reader.amount(figures, at)
        out.append(amount)
    return out


def written(figure: str, language: Language) -> str | None:
    """Return the decimal value of a number that is written with marks, None where it is none ("1.2.3")."""
    marks = [char for char in figure if not char.isdigit()]
    if not marks:
        return plain_value(figure)
    last, parts = marks[-1], re.split(r"[.,']", figure)
    grouped = len(parts[0]) <= 3 and parts[0][0] != "0" and all(len(part) == 3 for part in parts[1:])
    if len(set(marks)) == 1 and last != language.decimal and grouped:
        return plain_value("".join(parts))
    if marks.count(last) == 1 and last != "'" and (len(parts) == 2 or all(len(p) == 3 for p in parts[1:-1])):
        return plain_value("".join(parts[:-1]) + "." + parts[-1])
    return plain_value("".join(parts)) if len(set(marks)) == 1 and grouped else None


def plain_value(digits: str) -> str:
    """Return decimal text without needless zeros."""
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + ("." + rest if rest else "")


class _Reader:
    """Reads figures, what is said between them, and the currencies around them."""

    def __init__(self, text: str, language: Language) -> None:
        self.text, self.language, self.words = text, language, _words(language)

    def figures(self, found: list[Number]) -> Iterator[_Figure]:
        """Yield each figure: said words that stand side by side as one, decimals included."""
        at, done = 0, 0
        while at < len(found):
            number = found[at]
            at += 1
            if number.start < done:
                continue
            if not number.said:
                match = self._figure(number.start)
                value = written(match.group().replace(" ", ""), self.language) if match is not None else None
                if match is not None:
                    done = match.end()
                if match is not None and value is not None and not self._is_inside(match):
                    yield self._as_written(match, value)
                continue
            row, at = self._row(found, at - 1)
            figure, at = self._pointed(found, row, at)
            done = found[at - 1].end
            if figure is not None:
                yield figure

    def _as_written(self, match: re.Match[str], value: str) -> _Figure:
        cents = match.group() if len(match.group()) == 2 else ""
        one_mark = _ONE_MARK.fullmatch(match.group())
        sure, grouped = one_mark is None or one_mark[1] != self.language.decimal, one_mark is not None
        whole = "." not in value
        return _Figure(value, cents, match.start(), match.end(), said=False, whole=whole, sure=sure, grouped=grouped)

    def _figure(self, start: int) -> re.Match[str] | None:
        """Return the written figure that begins at a place; where tenths have a comma, blanks may group it."""
        spaced = _SPACED.match(self.text, start) if self.language.decimal == "," else None
        return spaced or _WRITTEN.match(self.text, start)

    def _is_inside(self, match: re.Match[str]) -> bool:
        before, after = self.text[max(0, match.start() - 2) : match.start()], self.text[match.end() : match.end() + 2]
        return bool(re.search(r"[0-9][:/-]$|[^\W_]$", before) or re.match(r"[:/-][0-9]|[^\W_]", after))

    def _row(self, found: list[Number], at: int) -> tuple[list[Number], int]:
        """Return the numbers said side by side from one on, and the one after them."""
        row = [found[at]]
        size = len(row[0].digits)
        at += 1
        while at < len(found) and found[at].said and size < _LONGEST:
            if self.text[row[-1].end : min(found[at].start, row[-1].end + 4)] not in (" ", "-", "\n", ""):
                break
            row.append(found[at])
            size += len(found[at].digits)
            at += 1
        return row, at

    def _pointed(self, found: list[Number], row: list[Number], at: int) -> tuple[_Figure | None, int]:
        """Return the figure that a row is with the tenths behind it, and the number after it.

        Where a scale is said behind the tenths ("two point five million") there is no figure.
        """
        digits = "".join([number.digits for number in row])
        start, end = row[0].start, row[-1].end
        cut = digits[:-2]
        sides = {len("".join([n.digits for n in row[:i]])) for i in range(1, len(row))}
        price = plain_value(f"{cut}.{digits[-2:]}") if len(digits) >= 3 and len(cut) in sides else ""
        if at < len(found):
            gap = self.text[end : min(found[at].start, end + 16)]
            if unaccented(gap.strip(" -").lower()) in self.words.points and found[at].said:
                more, at = self._row(found, at)
                if any(len(number.digits) > 3 for number in more):
                    return None, at
                tenths = "".join([number.digits for number in more])
                sure = len(row) == 1 and _are_sure_tenths(more)
                return _Figure(plain_value(f"{digits}.{tenths}"), "", start, more[-1].end, whole=False, sure=sure), at
        cents = digits.rjust(2, "0") if len(digits) <= 2 else ""
        return _Figure(plain_value(digits), cents, start, end, price, sure=len(row) == 1), at

    def amount(self, figures: list[_Figure], at: int) -> tuple[Amount, int]:
        """Return the amount that begins at a figure, and the figure after it."""
        figure = figures[at]
        start, end, at = figure.start, figure.end, at + 1
        sign = _SIGN.search(self.text, max(0, start - 6), start)
        key = self._key(sign.group(1)) if sign is not None else ""
        if sign is not None and key:
            start = sign.start()
        else:
            key, end = self._after(end)
        negative = self._minus(start)
        start = start if negative is None else negative
        value = figure.digits
        if key == "cents":
            if figure.whole:
                value = _hundredths(figure)
                return Amount(value if negative is None else "-" + value, "cents", start, end, sure=figure.sure), at
            key, end = "", figure.end
        sure = figure.sure and (bool(key) or not figure.grouped)  # of money nobody writes three decimals
        if key and figure.whole and at < len(figures):
            more = self._cents(end, figures[at])
            if more is not None:
                value, end, at = plain_value(f"{value}.{figures[at].cents}"), more, at + 1
        if negative is not None and value != "0":
            value = "-" + value
        return Amount(value, key, start, end, "" if key else figure.price, not figure.said, sure), at

    def _key(self, sign: str) -> str:
        return SIGNS.get(sign) or (sign if sign in CODES else "")

    def _after(self, end: int) -> tuple[str, int]:
        """Return the currency behind an amount, `cents` for hundredths, and where it ends."""
        sign = _SIGN_AFTER.match(self.text, end)
        if sign is not None and self._key(sign.group(1)):
            return self._key(sign.group(1)), sign.end()
        word = _PIECE.match(self.text, end)
        if word is not None and "," not in word.group():
            low = unaccented(word.group(1).lower())
            if low in self.words.currencies:
                return self.words.currencies[low], word.end()
            if low in self.words.cents and (len(low) > 1 or not self.text[word.end() :][:1].isalpha()):
                return "cents", word.end()
        return "", end

    def _cents(self, end: int, figure: _Figure) -> int | None:
        """Return where the hundredths of an amount end, None where the next figure is not its hundredths."""
        if not figure.cents or not figure.whole or figure.start - end > 12:
            return None
        gap = self.text[end : figure.start]
        between = unaccented(gap.strip(" ,").lower())
        key, after = self._after(figure.end)
        if key == "cents" and (not between or between in self.words.and_cents):
            return after
        two = len(figure.digits) == 2 or not figure.said
        return figure.end if not key and two and gap == " " and len(figure.cents) == 2 else None

    def _minus(self, start: int) -> int | None:
        """Return where a sign begins that stands before an amount."""
        before = self.text[max(0, start - 12) : start]
        if before.endswith("-") and not before[:-1].rstrip(" ")[-1:].isalnum():
            return start - 1
        last = list(_WORD.finditer(before))
        if last and before[last[-1].end() :] == " " and unaccented(last[-1].group().lower()) in self.words.minus:
            return start - len(before) + last[-1].start()
        return None


def _are_sure_tenths(row: list[Number]) -> bool:
    """Say whether numbers behind a point can mean one thing: digits one by one, or one number of two digits.

    Three digits behind it may be a group that was read aloud with its mark ("dos punto quinientos").
    """
    if sum(len(number.digits) for number in row) == 3:
        return False
    return len(row) == 1 or all(len(number.digits) == 1 for number in row)


def _hundredths(figure: _Figure) -> str:
    digits = figure.digits.rjust(3, "0")
    return plain_value(f"{digits[:-2]}.{digits[-2:]}")

"""What a language table says. One file a language; nothing else of this folder knows a word of any."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

import msgspec

NO_WORDS: frozenset[str] = frozenset()


class Language(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The words with which numbers, amounts, dates, codes and addresses are said, in lower case.

    Words are compared without accents; a number word with an accent is listed with it and without.

    Numbers: `digits`, `teens` and `tens` give the digits of a word (`tens` only the first); `pairs` those of several words
    with a blank between ("treinta y dos"), in which `links` stand. `repeats` tells how often the next digit is meant.
    `scales` are followed by so many zeros; those of `bare` stand for one of themselves without a number before them, the
    others behind a word of `one`. `hundreds` gives the first digit of a word for hundreds. `joins` may stand behind a
    scale; `halves` are parts of one, with which no number is read. With `glued`, number words are also written as one.
    `fillers` may stand inside a number, of which `hesitations` mean nothing anywhere; `dashes` are separators said aloud,
    `plus` opens a country code. `plain` holds, for a digit word, the words after which show that it is no digit ("one
    moment").

    Amounts and dates: `decimal` is the mark that is written before tenths, `points` what is said for it, `minus` what is
    said for the sign; `currencies` gives the key of a word in `_currency.py`, `cents` are the words for hundredths,
    `and_cents` may stand before them.
    `months` and `ordinals` (of days) give numbers; `ordinal_tails` are written behind figures, `date_words` and
    `weekdays` stand inside a date and add nothing.

    Codes: `letters` gives the letter of a name ("alpha"), `as_in` opens an example ("B as in boy"), `capitals` announce a
    capital, `one_letter` are ordinary words of one letter.

    In addresses `at` is the sign, `at_tails` what may follow it, `marks` the punctuation said aloud. `openers` come right
    before an address; a single word of `not_local` before `at`, or one of `not_domain` behind it, is ordinary speech, and
    so is any single word soon after one of `sites` ("check prices at example dot com" names a site).
    `back_channel` is what a listener says without taking the turn.
    """

    digits: Mapping[str, str]
    teens: Mapping[str, str] = msgspec.field(default_factory=dict)
    tens: Mapping[str, str] = msgspec.field(default_factory=dict)
    pairs: Mapping[str, str] = msgspec.field(default_factory=dict)
    links: frozenset[str] = NO_WORDS
    repeats: Mapping[str, int] = msgspec.field(default_factory=dict)
    scales: Mapping[str, int] = msgspec.field(default_factory=dict)
    bare: frozenset[str] = NO_WORDS
    one: frozenset[str] = NO_WORDS
    hundreds: Mapping[str, str] = msgspec.field(default_factory=dict)
    joins: frozenset[str] = NO_WORDS
    halves: frozenset[str] = NO_WORDS
    glued: bool = False
    fillers: frozenset[str] = NO_WORDS
    hesitations: frozenset[str] = NO_WORDS
    dashes: frozenset[str] = NO_WORDS
    plus: frozenset[str] = NO_WORDS
    plain: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    decimal: str = "."
    points: frozenset[str] = NO_WORDS
    minus: frozenset[str] = NO_WORDS
    currencies: Mapping[str, str] = msgspec.field(default_factory=dict)
    cents: frozenset[str] = NO_WORDS
    and_cents: frozenset[str] = NO_WORDS
    months: Mapping[str, int] = msgspec.field(default_factory=dict)
    ordinals: Mapping[str, int] = msgspec.field(default_factory=dict)
    ordinal_tails: frozenset[str] = NO_WORDS
    date_words: frozenset[str] = NO_WORDS
    weekdays: frozenset[str] = NO_WORDS
    letters: Mapping[str, str] = msgspec.field(default_factory=dict)
    as_in: frozenset[str] = NO_WORDS
    capitals: frozenset[str] = NO_WORDS
    one_letter: frozenset[str] = NO_WORDS
    at: frozenset[str] = NO_WORDS
    at_tails: frozenset[str] = NO_WORDS
    marks: Mapping[str, str] = msgspec.field(default_factory=dict)
    openers: frozenset[str] = NO_WORDS
    not_local: frozenset[str] = NO_WORDS
    not_domain: frozenset[str] = NO_WORDS
    sites: frozenset[str] = NO_WORDS
    back_channel: frozenset[str] = NO_WORDS

    @property
    def thousands(self) -> frozenset[str]:
        """The words that are followed by zeros."""
        return frozenset(self.scales)

    def is_number(self, word: str) -> bool:
        """Say whether a word in lower case is a number of up to two digits."""
        word = unaccented(word)
        return word in self.digits or word in self.teens or word in self.tens


def unaccented(word: str) -> str:
    """Return a word without its accents, as the tables have it."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word.replace("\u00df", "ss").replace("\u0153", "oe"))
    return "".join([char for char in parts if not unicodedata.combining(char)])


def words(listed: str) -> frozenset[str]:
    """Return words that are written with blanks between."""
    return frozenset(listed.split())


def each(listed: str, first: int = 0) -> dict[str, str]:
    """Return words with their numbers, counted from a first one; words with `|` between are one number.

    A word with an accent is there without it as well; `_` in a word is a blank.
    """
    out = {}
    for at, same in enumerate(listed.split()):
        for word in same.replace("_", " ").split("|"):
            out[word] = out[unaccented(word)] = str(first + at)
    return out


def counted(listed: str, first: int = 1) -> dict[str, int]:
    """Return words with their numbers as `each` does."""
    return {word: int(number) for word, number in each(listed, first).items()}


def pairs(tens: Mapping[str, str], ones: Mapping[str, str], links: Iterable[str] = ("",)) -> dict[str, str]:
    """Return what tens make with ones or teens behind them, with each of the links between."""
    return {
        " ".join([ten, link, one] if link else [ten, one]): str(int(first) * 10 + int(more))
        for ten, first in tens.items()
        for one, more in ones.items()
        if more != "0"
        for link in links
    }


SPELLING = {
    "alpha": "A", "alfa": "A", "bravo": "B", "charlie": "C", "delta": "D", "echo": "E", "foxtrot": "F", "golf": "G",
    "hotel": "H", "india": "I", "juliet": "J", "juliett": "J", "kilo": "K", "lima": "L", "mike": "M", "november": "N",
    "oscar": "O", "papa": "P", "quebec": "Q", "romeo": "R", "sierra": "S", "tango": "T", "uniform": "U", "victor": "V",
    "whiskey": "W", "whisky": "W", "xray": "X", "yankee": "Y", "zulu": "Z",
}  # fmt: skip

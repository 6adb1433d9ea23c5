"""What a language table says. One file a language; nothing else of this folder knows a word of any."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

NO_WORDS: frozenset[str] = frozenset()


class Language(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The words with which numbers and addresses are said, in lower case.

    `digits`, `teens` and `tens` give the digits of a word (`tens` only the first), `repeats` how often the next digit is
    meant; `hundreds`, `thousands` and the `joins` behind them make whole numbers. `fillers` may stand inside a number,
    `dashes` are separators said aloud, `plus` opens a country code. `plain` holds, for a digit word, the words after
    which show that it is no digit ("one moment").

    In addresses `at` is the sign, `at_tails` what may follow it, `marks` the punctuation said aloud. `openers` come right
    before an address; a single word of `not_local` before `at`, or one of `not_domain` behind it, is ordinary speech, and
    so is any single word soon after one of `sites` ("check prices at example dot com" names a site).
    `back_channel` is what a listener says without taking the turn.
    """

    digits: Mapping[str, str]
    teens: Mapping[str, str] = msgspec.field(default_factory=dict)
    tens: Mapping[str, str] = msgspec.field(default_factory=dict)
    repeats: Mapping[str, int] = msgspec.field(default_factory=dict)
    hundreds: frozenset[str] = NO_WORDS
    thousands: frozenset[str] = NO_WORDS
    joins: frozenset[str] = NO_WORDS
    fillers: frozenset[str] = NO_WORDS
    dashes: frozenset[str] = NO_WORDS
    plus: frozenset[str] = NO_WORDS
    plain: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    at: frozenset[str] = NO_WORDS
    at_tails: frozenset[str] = NO_WORDS
    marks: Mapping[str, str] = msgspec.field(default_factory=dict)
    openers: frozenset[str] = NO_WORDS
    not_local: frozenset[str] = NO_WORDS
    not_domain: frozenset[str] = NO_WORDS
    sites: frozenset[str] = NO_WORDS
    back_channel: frozenset[str] = NO_WORDS

    def is_number(self, word: str) -> bool:
        """Say whether a word in lower case is a number of up to two digits."""
        return word in self.digits or word in self.teens or word in self.tens

"""What one speaker says in one go, and what the words around a place of it say that stands there.

A speech is the turns of one speaker that others interrupted at most to say "yes" or "go on" or to repeat a piece: a
number that is said over several turns is one number. Digits of two speakers never meet. Beside its own text a speech
knows what another said just before, since the question tells what the answer's digits are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.match.pii._clean import clean
from hotato.match.spoken import Language
from hotato.model.call import Turn

BEFORE, AFTER = 120, 48
OPENING = 80
_MOST_WORDS = 14
_ENOUGH = 110  # characters, in which there mostly are so many words
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_DIGIT = re.compile("[0-9]")
_LAST_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{1,12}$")
_ASCII_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*")  # the same in a text of ASCII alone, in less time
_LETTER_RUN = re.compile(r"(?<![^\W\d_])(?<!')(?:[^\W\d_][ .-]{1,2}){1,5}[^\W\d_](?![^\W\d_'])")
_LETTERS_APART = re.compile(r"[ .-](?<=(?<![^\W\d_])[^\W\d_][ .-])[ .-]?[^\W\d_](?![^\W\d_'])")  # as in each such run
_BETWEEN_WORDS = re.compile(r"[^\W\d_]{2} [^\W\d_]{2}")  # neither a word nor letters spelt apart run over this blank
_CODE = re.compile(r"(?<![^\W_])(?<!')(?:(?:[^\W\d_][ .-]{1,2}){1,5}[^\W\d_]|[B-HJ-Z])[ ,.-]{1,3}$")


class Labels(msgspec.Struct, frozen=True, eq=False):
    """Words that tell what a number is. `names` gives the detector of a word, or `other` for numbers of another sort.

    A word of `weak` ("number") counts where one of `owners` ("my") or nothing stands before it; a word of `pairs` counts
    as what it says where the given word stands before it ("area code"). Beside one of `hints` fewer than eight digits
    may be something. Detectors are told which of the words of `telling` were heard, wherever that was, and no others.
    """

    names: Mapping[str, str]
    weak: Mapping[str, str]
    owners: frozenset[str]
    pairs: Mapping[tuple[str, str], str]
    hints: frozenset[str]
    telling: frozenset[str]

    def at(self, words: Sequence[str], place: int) -> str:
        """Return the label of one word, an empty string where it has none."""
        word = words[place]
        before = words[place - 1] if place else ""
        found = self.pairs.get((before, word)) or self.names.get(word)
        if not found and word in self.weak and (not before or before in self.owners):
            return self.weak[word]
        return found or ""

    def nearest(self, words: Sequence[str]) -> str:
        """Return the label of the last word that has one, an empty string where none has."""
        for place in range(len(words) - 1, -1, -1):
            found = self.at(words, place)
            if found:
                return found
        return ""

    def every(self, words: Sequence[str]) -> set[str]:
        """Return all labels that words have."""
        return {self.at(words, place) for place in range(len(words))} - {""}


class Speech:
    """One speaker's turns, laid end to end with line feeds between, in plain characters.

    `before` are the few turns before them; `heard` holds the telling words of both in lower case and without accents.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        before: Sequence[Turn],
        heard: frozenset[str],
        labels: Labels,
        regions: tuple[str, ...],
    ) -> None:
        self.turns = turns
        self.heard = heard & labels.telling
        self._before = before
        self.regions = regions
        self._labels = labels
        pieces = [clean(turn.text) for turn in turns]
        self.text = "\n".join(text for text, _ in pieces)
        self._maps = [places for _, places in pieces]
        self._starts: list[int] = []
        self._prior: str | None = None
        self._asked: list[str] | None = None
        self._told: dict[int, str] = {}
        place = 0
        for text, _ in pieces:
            self._starts.append(place)
            place += len(text) + 1

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what decides all that can be found here: what is read, what another said before, and words heard."""
        return (self.regions, self.heard, self.prior, *[turn.text for turn in self.turns])

    @property
    def prior(self) -> str:
        """What others said in the few turns before."""
        if self._prior is None:
            role = self.turns[0].role
            heard = [turn.text[-BEFORE * 2 :] for turn in self._before if turn.role != role]
            self._prior = clean(" ".join(heard)[-BEFORE * 2 :])[0]
        return self._prior

    @property
    def asked(self) -> list[str]:
        """The last words of what others said in the few turns before."""
        if self._asked is None:
            self._asked = words(self.prior)
        return self._asked

    def label(self, start: int, end: int) -> str:
        """Return what the words around a place say that it is: before it, behind it, or in the question before."""
        found = self._near(start, end)
        if found or start > OPENING:
            return found
        return self._labels.nearest(self.asked)

    def is_called(self, start: int, end: int, name: str) -> bool:
        """Say whether the words around a place call it so; a question may ask for two things at once."""
        found = self.label(start, end)
        if found in (name, "", "other") or self._near(start, end):
            return found == name
        return name in self._labels.every(self.asked)

    def _near(self, start: int, end: int) -> str:
        if start not in self._told:
            before = self.text[max(0, start - BEFORE) : start]
            self._told[start] = self._labels.nearest(words(before)) if self._is_free(before) else "other"
        if self._told[start]:
            return self._told[start]
        after = self.behind(end)
        for place in range(len(after)):
            found = self._labels.nearest(after[: place + 1])
            if found:
                return found
        return ""

    def _is_free(self, before: str) -> bool:
        """Say whether no code begins in front of a figure: letters spelt one by one that are no word known here."""
        code = _CODE.search(before)
        return code is None or self._labels.nearest(["".join(filter(str.isalpha, code.group())).lower()]) != ""

    def behind(self, end: int) -> list[str]:
        """Return the few words behind a place, as far as the next figure."""
        behind = self.text[end : end + AFTER]
        digit = _DIGIT.search(behind)
        return words(behind[: digit.start()] if digit else behind)[:8]

    def pieces(self, start: int, end: int, language: Language) -> Iterator[tuple[Turn, int, int]]:
        """Yield the turns that a place lies in, with the start and the end in each, in code points."""
        place = bisect_right(self._starts, start) - 1
        while place < len(self.turns) and self._starts[place] < end:
            base, places = self._starts[place], self._maps[place]
            first, last = max(start, base), min(end, base + len(places) - 1)
            first, last = self._trim(first, last, first > start, last < end, language.fillers)
            if first < last:
                stop = places[last - base - 1] + 1
                if isinstance(places, list):  # a mark on the last character belongs to it
                    stop = _with_marks(self.turns[place].text, stop)
                yield self.turns[place], places[first - base], stop
            place += 1

    def _trim(self, first: int, last: int, head: bool, tail: bool, fillers: frozenset[str]) -> tuple[int, int]:
        """Return a piece without the fillers and the punctuation at the sides where it was cut."""
        while head and first < last:
            word = _WORD.match(self.text, first, last)
            if word is not None and word.group().lower() in fillers:
                first = word.end()
            elif not _inside(self.text[first]):
                first += 1
            else:
                head = False
        while tail and first < last:
            word = _LAST_WORD.search(self.text, max(first, last - 16), last)
            if word is not None and word.group().lower() in fillers:
                last = word.start()
            elif not _inside(self.text[last - 1]):
                last -= 1
            else:
                tail = False
        return first, last


def words(text: str) -> list[str]:
    """Return the last words of a text in lower case, spelt abbreviations ("S S N") put together."""
    cut = _BETWEEN_WORDS.search(text, len(text) - _ENOUGH) if len(text) > _ENOUGH else None
    last = [] if cut is None else _words(text[cut.start() + 2 :])
    return last if len(last) == _MOST_WORDS else _words(text)


def _words(text: str) -> list[str]:
    if _LETTERS_APART.search(text) is not None:
        text = _LETTER_RUN.sub(lambda m: "".join(c for c in m.group() if c.isalpha()), text)
    found = (_ASCII_WORD if text.isascii() else _WORD).findall(text)[-_MOST_WORDS:]
    return [word.removesuffix("'s") for word in map(str.lower, found)]


def _inside(char: str) -> bool:
    return char.isalnum() or char in "+(@"


def _with_marks(text: str, end: int) -> int:
    from unicodedata import combining

    while end < len(text) and combining(text[end]):
        end += 1
    return end

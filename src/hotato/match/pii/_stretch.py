"""What one speaker says in one go, as detectors read it.

A stretch is the turns of one speaker that others interrupted at most to say "yes" or "go on" or to repeat a piece: a
number that is said over several turns is one number. Digits of two speakers never meet. Beside its own text a stretch
knows what another said just before, since the question tells what the answer's digits are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from hotato.match.pii._clean import clean
from hotato.match.spoken import Language, Number, Run, numbers, runs
from hotato.model.call import Turn

BEFORE, AFTER = 120, 48
SHORTEST = 8  # digits: no detector looks at fewer
_MOST_WORDS = 14
_OPENING = 80
_MOST_TURNS = 4
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_LAST_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{1,12}$")
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[0-9]+")
_LETTER_RUN = re.compile(r"(?<![^\W\d_])(?:[^\W\d_][ .-]{1,2}){1,5}[^\W\d_](?![^\W\d_'])")


class Labels(msgspec.Struct, frozen=True, eq=False):
    """Words that tell what a number is. `names` gives the detector of a word, or `other` for numbers of another sort.

    A word of `weak` ("number") counts where one of `owners` ("my") or nothing stands before it; a word of `pairs` counts
    as what it says where the given word stands before it ("area code").
    """

    names: Mapping[str, str]
    weak: Mapping[str, str]
    owners: frozenset[str]
    pairs: Mapping[tuple[str, str], str]

    def nearest(self, words: Sequence[str]) -> str:
        """Return the label of the last word that has one, an empty string where none has."""
        for place in range(len(words) - 1, -1, -1):
            word = words[place]
            before = words[place - 1] if place else ""
            found = self.pairs.get((before, word)) or self.names.get(word)
            if not found and word in self.weak and (not before or before in self.owners):
                found = self.weak[word]
            if found:
                return found
        return ""


class Stretch:
    """One speaker's turns, laid end to end with line feeds between."""

    def __init__(self, turns: Sequence[Turn], prior: str, language: Language, labels: Labels) -> None:
        self.turns = turns
        self.prior = prior
        self.language = language
        self.labels = labels
        pieces = [clean(turn.text) for turn in turns]
        self.text = "\n".join(text for text, _ in pieces)
        self._maps = [places for _, places in pieces]
        self._starts: list[int] = []
        self._told: dict[int, str] = {}
        place = 0
        for text, _ in pieces:
            self._starts.append(place)
            place += len(text) + 1
        self._numbers = numbers(self.text, language)
        self.runs: list[Run] = runs(self.text, self._numbers, language, SHORTEST)

    def label(self, start: int, end: int) -> str:
        """Return what the words around a place say that it is: before it, behind it, or in the question before."""
        if start not in self._told:
            self._told[start] = self.labels.nearest(_words(self.text[max(0, start - BEFORE) : start]))
        if self._told[start]:
            return self._told[start]
        behind = self.text[end : end + AFTER]
        digit = re.search(r"[0-9]", behind)
        after = _words(behind[: digit.start()] if digit else behind)[:8]
        for place in range(len(after)):
            found = self.labels.nearest(after[: place + 1])
            if found:
                return found
        return self.labels.nearest(_words(self.prior)) if start <= _OPENING else ""

    def number_at(self, start: int, most: int) -> int | None:
        """Return the end of a number of at most so many digits, said or written in a row, that begins at a place."""
        place = bisect_left(self._numbers, start, key=_start)
        end, size = None, 0
        for number in self._numbers[place : place + most]:
            size += len(number.digits)
            if size > most or number.start - (start if end is None else end) > (0 if end is None else 1):
                break
            end = number.end
        return end

    def pieces(self, start: int, end: int) -> Iterator[tuple[Turn, int, int]]:
        """Yield the turns that a place lies in, with the start and the end in each, in code points."""
        place = bisect_right(self._starts, start) - 1
        while place < len(self.turns) and self._starts[place] < end:
            base, places = self._starts[place], self._maps[place]
            first, last = max(start, base), min(end, base + len(places) - 1)
            first, last = self._trim(first, last, first > start, last < end)
            if first < last:
                stop = places[last - base - 1] + 1
                if isinstance(places, list):  # a mark on the last character belongs to it
                    stop = _with_marks(self.turns[place].text, stop)
                yield self.turns[place], places[first - base], stop
            place += 1

    def _trim(self, first: int, last: int, head: bool, tail: bool) -> tuple[int, int]:
        """Return a piece without the fillers and the punctuation at the sides where it was cut."""
        while head and first < last:
            word = _WORD.match(self.text, first, last)
            if word is not None and word.group().lower() in self.language.fillers:
                first = word.end()
            elif not _inside(self.text[first]):
                first += 1
            else:
                head = False
        while tail and first < last:
            word = _LAST_WORD.search(self.text, max(first, last - 16), last)
            if word is not None and word.group().lower() in self.language.fillers:
                last = word.start()
            elif not _inside(self.text[last - 1]):
                last -= 1
            else:
                tail = False
        return first, last


def _start(number: Number) -> int:
    return number.start


def _inside(char: str) -> bool:
    return char.isalnum() or char in "+(@"


def _with_marks(text: str, end: int) -> int:
    from unicodedata import combining

    while end < len(text) and combining(text[end]):
        end += 1
    return end


def _words(text: str) -> list[str]:
    """Return the last words of a text in lower case, spelt abbreviations ("S S N") put together."""
    joined = _LETTER_RUN.sub(lambda m: "".join(c for c in m.group() if c.isalpha()), text)
    return [w.removesuffix("'s") for w in (word.lower() for word in _WORD.findall(joined)[-_MOST_WORDS:])]


def stretches(turns: Sequence[Turn], language: Language, labels: Labels) -> Iterator[Stretch]:
    """Yield every stretch of a call whose turns are given in the order of time."""
    opened: dict[str, list[Turn]] = {}
    seen: dict[str, int] = {}
    started: list[tuple[list[Turn], int]] = []
    talked = -1  # the place of the last turn that was more than a back-channel
    for place, turn in enumerate(turns):
        if seen.get(turn.role, -2) >= talked and turn.role in opened:
            opened[turn.role].append(turn)
        else:
            opened[turn.role] = [turn]
            started.append((opened[turn.role], place))
        seen[turn.role] = place
        if not _is_back_channel(turn.text, language):
            talked = place
    for said, place in started:
        yield Stretch(said, _prior(turns, place), language, labels)


def _prior(turns: Sequence[Turn], place: int) -> str:
    """Return what others said in the few turns before a place."""
    heard = [t.text[-BEFORE * 2 :] for t in turns[max(0, place - _MOST_TURNS) : place] if t.role != turns[place].role]
    return clean(" ".join(heard)[-BEFORE * 2 :])[0]


def _is_back_channel(text: str, language: Language) -> bool:
    """Say whether a turn only tells the speaker to go on, or repeats digits."""
    if len(text) > BEFORE:
        return False
    plain, _ = clean(text)
    return all(
        word[0].isdigit() or word in language.back_channel or language.is_number(word) or word in language.repeats
        for word in (token.lower() for token in _TOKEN.findall(plain))
    )

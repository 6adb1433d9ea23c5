"""The first look: which speeches of a call may hold anything, and in which languages they are worth reading.

It counts figures and number words of every language by plain string operations and costs about as much as one search
for digits; only what passes is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from hotato.match.pii._clean import clean, smooth
from hotato.match.pii._registry import labels
from hotato.match.pii._speech import BEFORE, Speech
from hotato.match.pii._stretch import SHORTEST
from hotato.match.pii._words import Known, known
from hotato.match.spoken import Language
from hotato.model.call import Turn

_MOST_TURNS = 4
_FEWEST = 2  # words of another language that are no English ones, before its reading runs
_FEW = 3  # digits; no detector finds anything in so few
_SIGNS = 3
_LONGEST_KEPT = 400  # characters: what was seen at a longer text is not kept
_GLUED = 4  # digits of a number that is written as one word
_MARKS = re.compile(r"[0-9]\.[0-9]+\.[0-9]+\.[0-9]|:[0-9a-fA-F]{0,4}:")
_DOTTED = re.compile(r"\.\w")
_TABLE: dict[str, str] = {
    char: char.lower() if char.isalpha() else "0" if char.isdigit() else char if char in "@\n" else " "
    for char in map(chr, range(128))
}
_PLAIN = str.maketrans(_TABLE)


class Look:
    """The turns of a call in the order of time, with what a first look at each of them tells.

    With `kept`, what is seen at a text is known when the same text comes again, be it in another call.
    """

    __slots__ = ("_lines", "_places", "kept", "turns")

    def __init__(self, turns: Sequence[Turn], *, kept: bool) -> None:
        self.turns = turns
        self.kept = kept
        self._lines = [_seen(turn.text, kept) for turn in turns]
        self._places: Sequence[int] | None = None

    def again(self, texts: Mapping[int, str]) -> Look:
        """Return the look at these turns with other texts, given by their places in the order of time.

        If it is `kept`, its speeches are only those that may read otherwise now: one of their own turns or of the few
        before them has another text. Where such a text parts turns that were one speech, or joins them, all are given.
        """
        look = Look((), kept=self.kept)
        look.turns, look._lines = turns, lines = list(self.turns), list(self._lines)
        same = self.kept
        for place, text in texts.items():
            turn, line = turns[place], _seen(text, self.kept)
            turns[place] = Turn(turn.index, turn.role, text, turn.start, turn.end, turn.seq, turn.words)
            same = same and line.goes_on == lines[place].goes_on
            lines[place] = line
        if same:
            near = {at for place in texts for at in range(place, min(place + _MOST_TURNS + 1, len(turns)))}
            look._places = sorted(near)
        return look

    def speeches(self, regions: tuple[str, ...]) -> Iterator[tuple[Speech, list[Language]]]:
        """Yield every speech that may hold something, with the tables by which to read it."""
        lines, places = self._lines, self._places
        if places is None:
            places = [place for place, line in enumerate(lines) if line.is_telling]
        done: set[int] = set()
        for place in places:
            if place in done:
                continue
            line, group = lines[place], self._group(place)
            if len(group) > 1:
                done.update(group)
                line = _joined([lines[at] for at in group])
            found = None if line.is_light else self._worth(line, group, regions)
            if found is not None:
                yield found

    def _group(self, place: int) -> list[int]:
        """Return the places of the turns that are one speech with a turn."""
        turns, lines, role = self.turns, self._lines, self.turns[place].role
        out = [place]
        at = place - 1
        while at >= 0:
            if turns[at].role == role:
                out.append(at)
            elif not lines[at].goes_on:
                break
            at -= 1
        out.reverse()
        at = place + 1
        while at < len(turns):
            if turns[at].role == role:
                out.append(at)
            elif not lines[at].goes_on:
                break
            at += 1
        return out

    def _worth(self, line: _Line, group: list[int], regions: tuple[str, ...]) -> tuple[Speech, list[Language]] | None:
        """Return the speech that turns are, with the tables by which to read it; None where there is nothing in it."""
        said = [self.turns[at] for at in group]
        signs = line.has_signs
        if not signs and line.names_sign:
            signs = _is_address(line.flat.split(), "\n".join([turn.text for turn in said]), known())
        if not signs and line.weight <= _FEW:
            return None
        first, told = group[0] - _MOST_TURNS if group[0] > _MOST_TURNS else 0, labels()
        before = self._lines[first : group[0]]
        heard = self._told(line).union(*[self._told(one) for one in before])
        if not signs and line.weight < SHORTEST and heard.isdisjoint(told.hints):
            return None
        tables = _tables(line.flat.split(), said) if line.is_foreign else [known().first.table]
        return Speech(said, self.turns[first : group[0]], heard, told, regions), tables

    def _told(self, line: _Line) -> frozenset[str]:
        """Return the words of a text that tell a detector anything."""
        return _told_kept(line.flat) if self.kept and len(line.flat) <= _LONGEST_KEPT else _told(line.flat)


def may_hold(text: str) -> bool:
    """Say whether a text has a figure, a number word or the sign of an address, without which there is nothing in it."""
    return _seen(text, kept=True).is_telling


class _Line(msgspec.Struct, frozen=True, gc=False):
    """What a first look at one text tells; `flat` is it in lower case without accents and marks, figures as zeros.

    `weight` is the most digits that it can hold; `has_signs` says whether there are signs of an address, `names_sign`
    whether there is the word for one; `goes_on` whether it only tells another to go on, or repeats digits. A speech that
    `is_light` holds nothing; one that `is_foreign` has a number word that English has not.
    """

    flat: str
    goes_on: bool = False
    is_telling: bool = False
    weight: int = 0
    has_signs: bool = False
    names_sign: bool = False
    is_light: bool = True
    is_foreign: bool = False


def _line(text: str) -> _Line:
    every, flat = known(), (text if text.isascii() and text.isprintable() else smooth(text).lower()).translate(_PLAIN)
    words = flat.split()
    glued = False
    for part in every.within:
        glued = glued or part in flat
    weight, at = flat.count("0"), "@" in flat
    numbers = not every.telling.isdisjoint(words)
    goes_on = len(text) <= BEFORE
    for word in words if goes_on else ():
        if word not in every.back_channel and "0" not in word:
            goes_on = False
            break
    if not (weight or at or numbers or glued):
        return _Line(flat, goes_on)
    if numbers:
        weight += sum([every.figures.get(word, 0) for word in words])
    if glued:
        weight += _GLUED * sum([part in word and word not in every.figures for word in words for part in every.within])
    signs = at or (weight > _FEW and (text.count(".") >= _SIGNS or ":" in text) and _has_signs(text))
    names = numbers and not every.at.isdisjoint(words)
    light = weight <= _FEW and not (signs or names)
    foreign = glued or (numbers and not every.foreign.isdisjoint(words))
    return _Line(flat, goes_on, True, weight, signs, names, light, foreign)


def _joined(lines: list[_Line]) -> _Line:
    """Return what a first look at the texts of one speech tells."""
    weight = sum([line.weight for line in lines])
    signs, names = any(line.has_signs for line in lines), any(line.names_sign for line in lines)
    light, foreign = weight <= _FEW and not (signs or names), any(line.is_foreign for line in lines)
    return _Line(" ".join([line.flat for line in lines]), False, True, weight, signs, names, light, foreign)


_line_kept = lru_cache(maxsize=4096)(_line)


def _seen(text: str, kept: bool) -> _Line:
    return _line_kept(text) if kept and len(text) <= _LONGEST_KEPT else _line(text)


def _told(flat: str) -> frozenset[str]:
    return labels().telling.intersection(flat.split())


_told_kept = lru_cache(maxsize=4096)(_told)


def _has_signs(text: str) -> bool:
    """Say whether marks stand as in a network address, where few digits are enough."""
    return _MARKS.search(clean(text)[0]) is not None


def _is_address(words: list[str], text: str, known: Known) -> bool:
    return any(
        not row.at.isdisjoint(words) and (not row.marks.isdisjoint(words) or _DOTTED.search(text) is not None)
        for row in (known.first, *known.others)
    )


def _tables(words: list[str], turns: Sequence[Turn]) -> list[Language]:
    """Return the tables by which to read: the English one, and others whose words are there."""
    every = known()
    found = [every.first.table]
    glued = [word for word in words for part in every.within if part in word]
    foreign = [word for word in words if word in every.foreign or word in glued]
    for other in every.others:
        own = sum([word in other.own or any(part in word for part in other.within) for word in foreign])
        signs = not other.at.isdisjoint(foreign) and any(_is_address(words, turn.text, every) for turn in turns)
        if own >= _FEWEST or signs:
            found.append(other.table)
    return found

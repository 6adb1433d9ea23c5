"""The first look: which speeches of a call may hold anything, and in which languages they are worth reading.

It counts figures and number words of every language by plain string operations and costs about as much as one search
for digits; only what passes is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

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
    turns: Sequence[Turn], labels: Labels, regions: tuple[str, ...], hints: frozenset[str]
) -> Iterator[tuple[Speech, list[Language]]]:
    """Yield every speech of a call that may hold something, with the tables by which to read it.

    The turns are given in the order of time. `hints` are words beside which fewer than eight digits may be something.
    """
    look = _Look(turns)
    seen: set[int] = set()
    for place in look.telling():
        if place in seen:
            continue
        group = look.group(place)
        seen.update(group)
        weight, signs = look.sum(group)
        if not signs and weight <= _FEW:
            continue
        first = max(0, group[0] - _MOST_TURNS)
        words = [word for one in group for word in look.words[one]]
        heard = frozenset(words).union(*look.words[first : group[0]])
        if signs or weight >= SHORTEST or not heard.isdisjoint(hints):
            said = [turns[one] for one in group]
            yield Speech(said, turns[first : group[0]], heard, labels, regions), _tables(words, said)


def may_hold(text: str) -> bool:
    """Say whether a text has a figure, a number word or the sign of an address, without which there is nothing in it."""
    return bool(_Look((Turn(0, "", text),)).telling())


class _Look:
    """The turns of a call in lower case without accents and marks, figures as zeros."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        texts = [turn.text for turn in turns]
        whole = "\n".join(texts)
        if whole.count("\n") >= len(texts):
            whole = "\n".join([text.replace("\n", " ") for text in texts])
        flat = (whole if whole.isascii() else smooth(whole).lower()).translate(_PLAIN)
        self.known = _known()
        self.within = tuple(part for part in self.known.within if part in flat)
        self.lines = flat.split("\n") if texts else []
        self.words = [line.split() for line in self.lines]
        self._back_channels: dict[int, bool] = {}

    def telling(self) -> list[int]:
        """Return the places of the turns that hold a figure, a number word or the sign of an address."""
        words, within = self.known.telling, self.within
        return [
            place
            for place, (line, said) in enumerate(zip(self.lines, self.words, strict=True))
            if "0" in line
            or "@" in line
            or not words.isdisjoint(said)
            or (within and any(part in line for part in within))
        ]

    def group(self, place: int) -> list[int]:
        """Return the places of the turns that are one speech with a turn."""
        role = self.turns[place].role
        out = [place]
        for way in (-1, 1):
            at = place + way
            while 0 <= at < len(self.turns):
                if self.turns[at].role == role:
                    out.append(at)
                elif not self._is_back_channel(at):
                    break
                at += way
        return sorted(out)

    def _is_back_channel(self, place: int) -> bool:
        """Say whether a turn only tells the speaker to go on, or repeats digits."""
        found = self._back_channels.get(place)
        if found is None:
            known = self.known.back_channel
            found = len(self.turns[place].text) <= BEFORE
            for word in self.words[place] if found else ():
                if word not in known and "0" not in word:
                    found = False
                    break
            self._back_channels[place] = found
        return found

    def sum(self, group: list[int]) -> tuple[int, bool]:
        """Return the most digits that turns can hold together, and whether they may hold an address."""
        figures, at, weight, signs = self.known.figures, self.known.at, 0, False
        every: list[str] = []
        for place in group:
            line, text = self.lines[place], self.turns[place].text
            words = self.words[place]
            every += words
            inside = line.count("0")
            if not figures.keys().isdisjoint(words):
                inside += sum([figures[word] for word in words if word in figures])
            if self.within:
                inside += _GLUED * sum([part in word and word not in figures for word in words for part in self.within])
            weight += inside
            signs = signs or "@" in line
            if inside > _FEW and not signs:
                signs = (text.count(".") >= _SIGNS or ":" in text) and _has_signs(text)
        if not signs and not at.isdisjoint(every):
            signs = _is_address(every, "\n".join([self.turns[place].text for place in group]), self.known)
        return weight, signs


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

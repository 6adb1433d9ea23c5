"""Patterns looked for in what was said, in all its spoken readings as well: a figure that was said is found as figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hotato.match.regex import Pattern
from hotato.match.spoken import DEFAULT, Language, language, languages
from hotato.match.spoken._readings import readings
from hotato.match.spoken._says import says
from hotato.match.text import fold
from hotato.match.turns import Lane
from hotato.model.call import Turn
from hotato.model.fault import Fault


def language_faults(name: str, wanted: bool, beside: str = "spoken: true") -> Iterator[Fault]:
    """Yield what is wrong with a kind's field `language`; `wanted` tells whether the field it belongs to is there."""
    if name not in languages():
        said = f"no table of the language '{name}'; there are {', '.join(languages())}"
        yield Fault(("language",), "wrong_value", said, name, languages())
    if not wanted:
        yield Fault(("language",), "needless_field", f"'language' means nothing without {beside}")


def reader_of(name: str | None) -> Callable[[Lane, Pattern], Turn | None]:
    """Return `first_heard` for a language, English for None."""
    table = language(name or DEFAULT)
    return lambda lane, pattern: first_heard(lane, pattern, table)


def same_heard(name: str | None) -> Callable[[str, str], bool]:
    """Return what says whether two texts say the same letters and digits in a language, English for None."""
    table = language(name or DEFAULT)
    return lambda a, b: not says(fold(a), table).isdisjoint(says(fold(b), table))


def first_heard(lane: Lane, pattern: Pattern, language: Language) -> Turn | None:
    """Return the first turn of a lane in which a match starts, of the text itself or of a reading of it.

    As without readings, each utterance is read as a whole, and each turn of it alone.
    """
    found = lane.first(pattern)
    least = len(lane) if found is None else lane.place(found)
    number = 0
    for utterance in lane.utterances:
        if number >= least:
            break
        place = _in_utterance(utterance, pattern, language)
        if place is not None and number + place < least:
            return utterance[place]
        number += len(utterance)
    return found


def _in_utterance(utterance: list[Turn], pattern: Pattern, language: Language) -> int | None:
    """Return which turn of an utterance a match starts in by any reading, the earliest."""
    places = []
    for place, turn in enumerate(utterance):
        if _starts(turn.text, pattern, language):
            places.append(place)
            break
    if len(utterance) > 1:
        ends, size = [], 0
        for turn in utterance:
            size += len(turn.text) + 1
            ends.append(size)
        for start in _starts(" ".join([turn.text for turn in utterance]), pattern, language):
            places.append(next((place for place, end in enumerate(ends) if start < end), len(ends) - 1))
    return min(places, default=None)


def _starts(text: str, pattern: Pattern, language: Language) -> list[int]:
    """Return where the first match of each reading starts in the text as it was said."""
    out = []
    for reading in readings(text, language):
        match = pattern.search(reading.text)
        if match is not None:
            out.append(reading.back(match.start()))
    return out

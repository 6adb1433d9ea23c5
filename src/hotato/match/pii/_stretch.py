"""A speech as it reads in one language: what detectors are given."""

from __future__ import annotations

from bisect import bisect_left

from hotato.match.pii._speech import Speech
from hotato.match.spoken import Language, Number, Run, numbers, runs

SHORTEST = 8  # digits: `runs` holds none of fewer


class Stretch:
    """The text of a speech, the figures in it and the runs that they stand in, by the words of one language.

    `count` is how many digits all figures have, `longest` how many the longest run has, 0 where there is none.
    """

    __slots__ = ("count", "figures", "is_called", "label", "language", "longest", "regions", "runs", "speech", "text")

    def __init__(self, speech: Speech, language: Language) -> None:
        self.speech = speech
        self.language = language
        self.text = speech.text
        self.regions = speech.regions
        self.label = speech.label
        self.is_called = speech.is_called
        self.figures: list[Number] = numbers(self.text, language)
        self.count = sum([len(figure.digits) for figure in self.figures])
        self.runs: list[Run] = []
        if self.count >= SHORTEST:
            self.runs = runs(self.text, self.figures, language, SHORTEST)
        self.longest = max([len(run.digits) for run in self.runs], default=0)

    def number_at(self, start: int, most: int) -> int | None:
        """Return the end of a number of at most so many digits, said or written in a row, that begins at a place."""
        place = bisect_left(self.figures, start, key=_start)
        end, size = None, 0
        for number in self.figures[place : place + most]:
            size += len(number.digits)
            if size > most or number.start - (start if end is None else end) > (0 if end is None else 1):
                break
            end = number.end
        return end


def _start(number: Number) -> int:
    return number.start

"""What is found in one speech, read as far as it is asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from hotato.match.pii._found import Found
from hotato.match.pii._registry import Detector, detectors, yields
from hotato.match.pii._speech import Speech
from hotato.match.pii._stretch import Stretch
from hotato.match.spoken import Language

Row = list[tuple[Found, Language]]
_nothing_in: set[tuple[Any, ...]] = set()  # speeches in which nothing is found, whatever call they are of
_MOST_KEPT = 4096


class Reading:
    """A speech and what detectors find in it, each of them asked once."""

    __slots__ = ("_rows", "_stretches", "_tables", "speech")

    def __init__(self, speech: Speech, tables: Sequence[Language]) -> None:
        self.speech = speech
        self._tables = tables
        self._stretches: list[Stretch] | None = None
        self._rows: dict[str, Row] = {}

    def found(self, wanted: frozenset[str] | None, *, kept: bool) -> list[tuple[str, Found, Language]]:
        """Return what the detectors wanted, all for None, find in any language, each once, with the language.

        With `kept`, that nothing is found is known of the same speech in other calls; what is found is kept nowhere.
        """
        if not kept:
            return list(self._standing(wanted))
        key = (wanted, *self.speech.key)
        if key in _nothing_in:
            return []
        found = list(self._standing(wanted))
        if not found:
            if len(_nothing_in) >= _MOST_KEPT:
                _nothing_in.clear()
            _nothing_in.add(key)
        return found

    def _standing(self, wanted: frozenset[str] | None) -> Iterator[tuple[str, Found, Language]]:
        """Yield what counts: of two readings of one place the longer, and nothing inside what its detector yields to.

        A card is no telephone number.
        """
        for name, detector in detectors().items():
            row = self._row(detector) if wanted is None or name in wanted else ()
            if not row:
                continue
            others = [self._row(detectors()[other]) for other in yields()[name]]
            over = sorted((found.start, found.end) for other in others for found, _ in other)
            starts = [start for start, _ in over]
            last = -1
            for one, table in row:
                place = bisect_right(starts, one.start) - 1
                if one.end > last and (place < 0 or over[place][1] < one.end):
                    last = one.end
                    yield name, one, table

    def _row(self, detector: Detector) -> Row:
        """Return all that one detector finds, in order of place, the longer first."""
        row = self._rows.get(detector.name)
        if row is None:
            row = self._rows[detector.name] = []
            if detector.may_find(self.speech.heard):
                for stretch in self._read():
                    if detector.fewest <= stretch.longest:
                        row += [(one, stretch.language) for one in detector.detect(stretch)]
                row.sort(key=_place)
        return row

    def _read(self) -> list[Stretch]:
        if self._stretches is None:
            self._stretches = [Stretch(self.speech, table) for table in self._tables]
        return self._stretches


def _place(pair: tuple[Found, Language]) -> tuple[int, int]:
    return pair[0].start, -pair[0].end

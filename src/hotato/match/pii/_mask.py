"""Masks in a text, and where in the masked text they stand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

MASK = "[REDACTED]"


class Mask(msgspec.Struct, frozen=True, gc=False):
    """A place of a text that is or is to be masked, in code points, and the detector that found something there."""

    start: int
    end: int
    detector: str


def mask(text: str, places: Sequence[Mask]) -> tuple[str, list[Mask]]:
    """Return the text with each place masked, and the places in it.

    Places that touch become one mask, which bears the name of the detector whose place begins first.
    """
    merged: list[Mask] = []
    for place in sorted(places, key=lambda place: (place.start, -place.end, place.detector)):
        last = merged[-1] if merged else None
        if last is not None and place.start <= last.end:
            merged[-1] = Mask(last.start, max(place.end, last.end), last.detector)
        else:
            merged.append(place)
    out: list[str] = []
    masks: list[Mask] = []
    done = size = 0
    for place in merged:
        out += [text[done : place.start], MASK]
        size += place.start - done
        masks.append(Mask(size, size + len(MASK), place.detector))
        size += len(MASK)
        done = place.end
    return "".join([*out, text[done:]]), masks

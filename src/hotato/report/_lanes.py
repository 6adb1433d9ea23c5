"""A scored recording as a report shows it: who was active when, and the levels that say so, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

_AROUND = 5.0  # seconds of levels that are kept before the onset and after the window
_WHOLE = 600.0  # a recording no longer than this keeps all its levels


class Side(NamedTuple):
    """One side. Runs are stretches of frames, first and the one after the last.

    `held` and `trimmed` are the two tracks of activity, `levels` hundredths of dBFS from the frame `Lanes.first` on,
    `threshold` likewise hundredths.
    """

    name: str
    threshold: int
    held: list[tuple[int, int]]
    trimmed: list[tuple[int, int]]
    levels: list[int]


class Lanes(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides of a recording and the event in it. `hop` is the step of a frame in seconds, `count` how many there are."""

    hop: float
    count: int
    first: int
    sides: tuple[Side, Side]
    both: list[tuple[int, int]]
    event: Mapping[str, Any]


def lanes_of(scored: Any) -> Lanes:
    """Return what is shown of a recording that `hotato.timing.score` scored."""
    frames, event = scored.frames, scored.event
    hop = frames.hop_us / 1e6
    first, last = _window(event, hop, frames.count)
    sides = [
        Side(name, side.threshold, _runs(side.held), _runs(side.trimmed), side.levels[first:last].tolist())
        for name, side in (("caller", frames.caller), ("agent", frames.agent))
    ]
    both = _runs(frames.caller.trimmed & frames.agent.trimmed)
    return Lanes(hop=hop, count=frames.count, first=first, sides=(sides[0], sides[1]), both=both, event=event)


def _window(event: Mapping[str, Any], hop: float, count: int) -> tuple[int, int]:
    if count * hop <= _WHOLE:
        return 0, count
    measured = event["measurements"]
    onset = measured["caller_onset_sec"] or 0.0
    end = measured["window_end_sec"] or onset
    return max(0, int((onset - _AROUND) / hop)), min(count, int((end + _AROUND) / hop) + 1)


def _runs(track: Any) -> list[tuple[int, int]]:
    """Return the stretches in which a track is true."""
    found: list[tuple[int, int]] = []
    begun = None
    for place, is_on in enumerate(track.tolist()):
        if is_on and begun is None:
            begun = place
        elif not is_on and begun is not None:
            found.append((begun, place))
            begun = None
    return [*found, (begun, len(track))] if begun is not None else found

"""The levels of a recording, frame by frame, and who is active in which.

Levels are whole hundredths of a decibel, and every decision is made on these: the last bits of a logarithm, which differ
between processors, cannot move a boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from hotato.timing.config import Config, microseconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Levels = NDArray[np.int32]
    Track = NDArray[np.bool_]


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a recording. Levels are hundredths of dBFS: one for each frame, the noise floor, the peak, the threshold.

    `raw` is true where a frame's level reaches the threshold, `held` also for a while after, `trimmed` is `held` with each
    run cut back to its last raw frame: what the side was heard to say, with short gaps closed. `is_drowned` says that the
    threshold does not stand clear of a steady noise, so that all of it may count as speech.
    """

    levels: Levels
    floor: int
    peak: int
    threshold: int
    raw: Track
    held: Track
    trimmed: Track
    is_drowned: bool = False

    @property
    def is_active(self) -> bool:
        """Say whether any frame reaches the threshold."""
        return bool(self.raw.any())


class Frames(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides, frame for frame. Frame `i` is the `frame_sec` of sound from `i * hop_us` microseconds on."""

    hop_us: int
    caller: Channel
    agent: Channel

    @property
    def count(self) -> int:
        """Return the number of frames."""
        return len(self.caller.raw)


_CLEAR = 300  # hundredths of dB: a steady noise stays that close to its tenth percentile
_STEADY = 300  # between the second and the 25th percentile; of speech without a pause these lie further apart
Run = tuple[int, int]  # a stretch of activity: first frame, and the frame after its last


def channel_of(levels: Levels, config: Config) -> Channel:
    """Return a side's thresholds and tracks from its levels."""
    import numpy as np

    floor = _percentile(levels, config.floor_percentile)
    peak = int(levels.max())
    gate = round(config.gate_dbfs * 100)
    threshold = max(floor + round(config.above_floor_db * 100), gate)
    cap = peak - round(config.below_peak_db * 100)
    if gate < cap < threshold:
        threshold = cap
    raw = levels >= threshold
    held, trimmed = np.zeros_like(raw), np.zeros_like(raw)
    hold = microseconds(config.hold_sec) // config.hop_us
    for first, after in joined(runs_of(raw), hold):
        trimmed[first:after] = True
        held[first : after + hold] = True
    return Channel(
        levels=levels,
        floor=floor,
        peak=peak,
        threshold=threshold,
        raw=raw,
        held=held,
        trimmed=trimmed,
        is_drowned=threshold - floor < _CLEAR and _percentile(levels, 25) - _percentile(levels, 2) < _STEADY,
    )


def _percentile(levels: Levels, percent: float) -> int:
    """Return the nearest-rank percentile: the lowest level that so many percent of the frames do not exceed."""
    import numpy as np

    rank = max(0, -(-round(percent * 1000) * len(levels) // 100_000) - 1)
    return int(np.partition(levels, rank)[rank])


def runs_of(track: Track) -> list[Run]:
    """Return the stretches of a track that are true, in order."""
    import numpy as np

    edges = np.flatnonzero(np.diff(track.astype(np.int8), prepend=0, append=0)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def joined(runs: Sequence[Run], gap: int) -> list[Run]:
    """Return runs with those that lie at most `gap` frames apart made one."""
    found: list[Run] = []
    for first, after in runs:
        if found and first - found[-1][1] <= gap:
            found[-1] = (found[-1][0], after)
        else:
            found.append((first, after))
    return found

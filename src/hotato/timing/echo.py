"""Whether one side bleeds into the other's channel: how alike the two sound, and how much later.

Both channels are brought to 4,000 whole numbers a second, of which each is replaced by its difference to the one before
(speech has most of its energy in few low tones, and these look alike by chance). A second of the agent is held against the
caller's channel at every lag; the most alike of the seconds around the event counts. All sums are of whole numbers below
2**53, hence exact, whatever adds them up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hotato.timing.config import Config, microseconds

if TYPE_CHECKING:
    from hotato.timing.audio import Numbers, Sound
    from hotato.timing.frames import Frames

RATE = 4_000  # numbers a second
_LARGEST = 1 << 15
_BEFORE, _BLOCK, _STEP = 2_000_000, 1_000_000, 500_000  # microseconds
_LEAST = 100_000  # of activity that both sides need in a block


class Echo(msgspec.Struct, frozen=True):
    """How alike the channels are, 0 to 1, and how much later the caller's has what the agent's has, seconds.

    Both are None where at no time both were active.
    """

    coherence: float | None = None
    lag_sec: float | None = None
    is_suspected: bool = False


def echo_of(
    sides: tuple[tuple[Sound, int], tuple[Sound, int]], frames: Frames, onset: int, end: int, config: Config
) -> Echo:
    """Return how alike the channels are between two seconds before the onset and the end of the window, microseconds.

    `sides` are the caller's and the agent's sound with the number of the channel, read through once.
    """
    most_lag = microseconds(config.echo_lag_sec) * RATE // 1_000_000
    (caller_sound, caller_column), (agent_sound, agent_column) = sides
    best, lag = -1, 0
    last = min(end, frames.count * frames.hop_us) - _BLOCK
    for start in range(max(0, onset - _BEFORE), max(last, 0) + 1, _STEP):
        if not _both_active(frames, start):
            continue
        place, count = start * RATE // 1_000_000, _BLOCK * RATE // 1_000_000
        agent = _numbers(agent_sound, agent_column, place, count)
        caller = _numbers(caller_sound, caller_column, place - most_lag, count + 2 * most_lag)
        coherence, begin = _closest(agent, caller)
        if coherence > best:
            best, lag = coherence, begin - most_lag
    if best < 0:
        return Echo()
    return Echo(best / 1000, lag / RATE, best / 1000 >= config.echo_coherence)


def _both_active(frames: Frames, start: int) -> bool:
    first, after = start // frames.hop_us, (start + _BLOCK) // frames.hop_us
    least = _LEAST // frames.hop_us
    return all(int(side.trimmed[first:after].sum()) >= least for side in (frames.caller, frames.agent))


def _numbers(sound: Sound, column: int, place: int, count: int) -> Numbers:
    """Return so many whole numbers from a place on, both counted at 4,000 a second; silence where there is no sound."""
    import numpy as np

    edges = [(place + i) * sound.rate // RATE for i in range(count + 2)]
    wanted = edges[-1] - edges[0]
    samples = sound.stretch(column, edges[0], wanted)
    if len(samples) < wanted:
        samples = np.concatenate([samples, np.zeros(wanted - len(samples))])
    sums = np.add.reduceat(samples, [edge - edges[0] for edge in edges[:-1]])
    differences = np.diff(sums)
    largest = float(np.abs(differences).max())
    while largest > _LARGEST:
        differences, largest = differences / 2, largest / 2
    return np.rint(differences)


def _closest(block: Numbers, other: Numbers) -> tuple[int, int]:
    """Return the highest coherence of a block with any stretch of another channel, in thousandths, and where it begins."""
    import numpy as np

    products = np.correlate(other, block, mode="valid")
    summed = np.concatenate([[0.0], np.cumsum(other * other)])
    energies = (summed[len(block) :] - summed[: -len(block)]) * float((block * block).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(energies > 0, products * products / energies, 0.0)
    coherences = np.rint(np.sqrt(squares) * 1000).astype(np.int64)
    place = int(coherences.argmax())
    return int(coherences[place]), place

"""Sound put together: gain, noise, a telephone's band, and pieces placed on a line.

Everything is of whole numbers and of seeds that are given, so the same call gives the same samples on every machine. Samples
are 16 bits, full scale 32768.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]
    Numbers = NDArray[np.float64]

_GAMMA, _MIX_A, _MIX_B = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # the constants of SplitMix64
_SPREAD = 37_837.0  # the deviation of the sum of four even draws of 16 bits
LOW, HIGH = 300, 3400  # Hz: what a telephone lets through


def louder(samples: Samples, decibels: float) -> Samples:
    """Return samples louder by so many dB, softer where negative; what exceeds full scale is cut off there."""
    import numpy as np

    factor = round(10 ** (decibels / 20) * 65_536)
    return np.clip(np.rint(samples.astype(np.float64) * factor / 65_536), -32_768, 32_767).astype(np.int16)


def level(samples: Samples) -> float:
    """Return the level of samples in dBFS, -120 for silence."""
    import math

    import numpy as np

    values = samples.astype(np.float64)
    energy = float(np.einsum("i,i->", values, values))
    return max(-120.0, 10 * math.log10(energy / (len(samples) * 2.0**30))) if energy else -120.0


def noise(count: int, dbfs: float, seed: int) -> Samples:
    """Return so many samples of even noise at a level, in dBFS; another seed gives other noise."""
    import numpy as np

    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(_GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(_MIX_A)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(_MIX_B)
        z ^= z >> np.uint64(31)
    draws = sum((z >> np.uint64(shift) & np.uint64(0xFFFF)).astype(np.float64) for shift in (0, 16, 32, 48))
    factor = round(10 ** (dbfs / 20) * 32_768 / _SPREAD * (1 << 30))
    scaled = np.rint((np.asarray(draws) - 131_070) * factor / (1 << 30))
    return np.clip(scaled, -32_768, 32_767).astype(np.int16)


def telephone(samples: Samples, rate: int) -> Samples:
    """Return samples as a telephone lets them through: 300 to 3400 Hz, by a filter that delays nothing."""
    import numpy as np

    reach = rate // 100
    places = np.arange(-reach, reach + 1) / rate
    window = np.cos(np.linspace(-np.pi / 2, np.pi / 2, 2 * reach + 3)[1:-1]) ** 2
    band = (2 * HIGH * np.sinc(2 * HIGH * places) - 2 * LOW * np.sinc(2 * LOW * places)) / rate
    weights = np.rint(band * window * 32_768)
    found = np.convolve(samples.astype(np.float64), weights)[reach : reach + len(samples)]
    return np.clip(np.rint(found / 32_768), -32_768, 32_767).astype(np.int16)


def placed(count: int, pieces: Iterable[tuple[int, Samples]]) -> Samples:
    """Return so many samples in which each piece begins at its place; where pieces lie over one another they add up.

    Raise ValueError for a piece that does not fit.
    """
    import numpy as np

    line: Numbers = np.zeros(count)
    for start, piece in pieces:
        if start < 0 or start + len(piece) > count:
            raise ValueError("a piece lies outside the line")
        line[start : start + len(piece)] += piece
    return np.clip(line, -32_768, 32_767).astype(np.int16)

"""A recording beside a report: read whole, and silent where personal data is said."""

from __future__ import annotations

import io
import os
import sys
import wave
from array import array
from typing import NamedTuple

from hotato.errors import Problem, UsageError
from hotato.model import given

MOST_BYTES = 256 * 1024 * 1024
BESIDE = (
    0.2  # seconds that are silent before and after a turn with personal data: its times are those of speech-to-text
)
_WIDTHS = {1: "8-bit", 2: "16-bit", 3: "24-bit", 4: "32-bit"}


class Sound(NamedTuple):
    """A recording as 16-bit samples, channel after channel in each frame; `rate` is in Hz."""

    rate: int
    channels: int
    samples: array[int]

    @property
    def seconds(self) -> float:
        """Return how long it is."""
        return len(self.samples) / self.channels / self.rate

    def piece(self, start: float, end: float) -> Sound:
        """Return a stretch of it, in seconds."""
        first, last = (max(0, round(at * self.rate)) * self.channels for at in (start, end))
        return self._replace(samples=self.samples[first:last])

    def wav(self) -> bytes:
        """Return it as a WAV file."""
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(self.channels)
            file.setsampwidth(2)
            file.setframerate(self.rate)
            file.writeframes(_swapped(self.samples).tobytes())
        return out.getvalue()


def read(path: str | os.PathLike[str]) -> Sound:
    """Return the recording of a WAV file of PCM samples. Raise UsageError where it is none or larger than 256 MB."""
    name = given.path(path, "audio")
    from hotato.context.files import read_bytes

    raw = read_bytes(name, most=MOST_BYTES)
    try:
        with wave.open(io.BytesIO(raw), "rb") as file:
            rate, channels, width, frames = (
                file.getframerate(),
                file.getnchannels(),
                file.getsampwidth(),
                file.getnframes(),
            )
            held = file.readframes(frames)
    except (wave.Error, EOFError, ValueError, RuntimeError):
        raise _refused(name, "not a WAV file of PCM samples") from None
    if width not in _WIDTHS or not 1 <= channels <= 8 or not 1000 <= rate <= 192_000:
        raise _refused(name, f"{channels} channels of {8 * width} bits at {rate} Hz are not read")
    if len(held) != frames * channels * width or not held:
        raise _refused(name, "broken off: it holds less than its header says" if held else "holds no sound")
    return Sound(rate, channels, _samples(held, width))


def _refused(name: str, said: str) -> UsageError:
    return UsageError(Problem(code="audio", file=name, message=said))


def _samples(held: bytes, width: int) -> array[int]:
    """Return samples of any width as 16 bits: the upper ones of what is wider."""
    if width == 1:
        return array("h", ((byte - 128) << 8 for byte in held))
    if width == 2:
        return _swapped(array("h", held))
    upper = bytearray(len(held) // width * 2)
    upper[0::2], upper[1::2] = held[width - 2 :: width], held[width - 1 :: width]
    return _swapped(array("h", bytes(upper)))


def _swapped(samples: array[int]) -> array[int]:
    """Return samples in the order of bytes that WAV has, or back from it."""
    if sys.byteorder == "big":
        samples = array("h", samples)
        samples.byteswap()
    return samples


def silenced(sound: Sound, stretches: list[tuple[float, float]]) -> Sound:
    """Return a recording that is silent in each stretch, in seconds, and a little around it."""
    samples = array("h", sound.samples)
    for start, end in stretches:
        first = max(0, int((start - BESIDE) * sound.rate)) * sound.channels
        last = min(len(samples), (int((end + BESIDE) * sound.rate) + 1) * sound.channels)
        if last > first:
            samples[first:last] = array("h", bytes(2 * (last - first)))
    return sound._replace(samples=samples)

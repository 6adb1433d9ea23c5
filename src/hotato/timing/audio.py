"""Reading sound: WAV, FLAC and Ogg, piece by piece, as whole numbers.

Samples become integers of at most 22 bits held in floats, so that sums of their squares are exact and come out the same in
whatever order a processor adds them. What is damaged, cut off or not of these formats is refused with EvidenceError.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from hotato.context.files import open_regular, read_bytes
from hotato.errors import EvidenceError, Problem
from hotato.model import given
from hotato.model.limits import limit, raising
from hotato.timing.container import broken_off

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FORMATS = {"WAV": "WAV", "WAVEX": "WAV", "RF64": "WAV", "FLAC": "FLAC", "OGG": "Ogg"}
LOWEST, HIGHEST = 8_000, 48_000  # Hz
MOST_CHANNELS = 32
_SHORT = frozenset(("PCM_16", "PCM_U8", "PCM_S8", "ULAW", "ALAW"))  # nothing is lost in 16 bits
_BITS = 21  # of what is wider: the square of a full sample, summed over 20 ms at 48 kHz, still is a whole float
_A_PIECE = 100  # hops that are read at a time: a second


class Sound:
    """One file of sound, open for reading; a context manager.

    `rate` is in Hz, `channels` how many there are, `full_scale` the number that 0 dBFS stands for, `form` what was read
    (`WAV PCM_16`), `samples` how many samples a channel has, known once all of it was read, `clipped` how many were
    beyond full scale.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        path = given.path(path, "recording", EvidenceError)
        self.name = "<stdin>" if path == "-" else path
        self._stack = contextlib.ExitStack()
        self.samples = 0
        self.clipped = 0
        with contextlib.ExitStack() as stack:
            stream: IO[bytes]
            if path == "-":
                stream = io.BytesIO(read_bytes("-", error=EvidenceError))
            else:
                stream = stack.enter_context(open_regular(path, error=EvidenceError))
            self._file = stack.enter_context(self._opened(stream))
            self._check()
            self._stack = stack.pop_all()
        self.rate: int = self._file.samplerate
        self.channels: int = self._file.channels
        self.form = f"{FORMATS[self._file.format]} {self._file.subtype}"
        self._is_short = self._file.subtype in _SHORT
        self.full_scale = float(1 << (15 if self._is_short else _BITS))

    def __enter__(self) -> Sound:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stack.close()

    def energies(self, columns: Sequence[int], hop_us: int) -> Iterator[Numbers]:
        """Yield the energy of each hop of some channels: the sum of squares of its samples, one row a channel.

        A last hop that is not whole is filled up with silence. Raise EvidenceError where the sound ends before it should
        or holds what is no number.
        """
        import numpy as np

        first, end = 0, False
        while not end:
            edges = [(first + i) * hop_us * self.rate // 1_000_000 for i in range(_A_PIECE + 1)]
            wanted = edges[-1] - edges[0]
            piece = self._read(wanted, columns)
            have = piece.shape[1]
            self.samples += have
            end = have < wanted
            if end:
                self._check_end()
                count = sum(edge - edges[0] < have for edge in edges[:-1])
                edges = edges[: count + 1]
                short = piece
                piece = np.zeros((len(columns), edges[-1] - edges[0]))
                piece[:, :have] = short
            if len(edges) > 1:
                yield _energies(piece, edges)
            first += _A_PIECE
            self._check_length()

    @property
    def is_wide(self) -> bool:
        """Say whether its samples have more than 16 bits."""
        return not self._is_short

    def read(self, columns: Sequence[int], count: int) -> Numbers:
        """Return the next samples of some channels as whole numbers, one row a channel; fewer at the end."""
        return self._read(count, columns)

    def stretch(self, column: int, start: int, count: int) -> Numbers:
        """Return so many samples of a channel from one on; fewer where it ends before. Zero where it has not begun."""
        import numpy as np

        before = min(max(-start, 0), count)
        begin = min(max(start, 0), self.samples)
        self._file.seek(begin)
        piece = self._read(min(count - before, self.samples - begin), (column,), again=True)[0]
        return np.concatenate([np.zeros(before), piece]) if before else piece

    def _read(self, count: int, columns: Sequence[int], *, again: bool = False) -> Numbers:
        """Return the next samples of some channels as whole numbers, one row a channel."""
        import numpy as np

        error: Any = self._library().LibsndfileError
        try:
            raw = self._file.read(count, dtype="int16" if self._is_short else "float64", always_2d=True)
        except (error, RuntimeError):
            raise self.refused("damaged: it cannot be read to its end") from None
        chosen = np.empty((len(columns), len(raw)))
        for row, column in enumerate(columns):
            chosen[row] = raw[:, column]
        if self._is_short:
            return chosen
        if not np.isfinite(chosen).all():
            raise self.refused("holds samples that are no numbers (NaN or infinite); export it again as 16-bit PCM")
        with np.errstate(over="ignore"):  # a sample that is out of all measure is beyond full scale all the same
            np.multiply(chosen, self.full_scale, out=chosen)
        np.rint(chosen, out=chosen)
        beyond = int((np.abs(chosen) > self.full_scale).sum())
        if beyond:
            np.clip(chosen, -self.full_scale, self.full_scale, out=chosen)
            self.clipped += 0 if again else beyond
        return chosen

    def refused(self, said: str) -> EvidenceError:
        """Return the refusal of this file."""
        return EvidenceError(Problem(code="audio", file=self.name, message=said))

    def _opened(self, stream: IO[bytes]) -> Any:
        library = self._library()
        if not stream.read(1):
            raise self.refused("an empty file, no recording")
        cut = broken_off(stream)
        if cut:
            raise self.refused(f"breaks off: {cut}; get the whole file again")
        source: Any = stream
        stream.seek(0)
        if not isinstance(stream, io.BytesIO):  # libsndfile reads the file itself, from where the descriptor stands
            source = stream.fileno()
            os.lseek(source, 0, os.SEEK_SET)
        try:
            return library.SoundFile(source, closefd=False)
        except (library.LibsndfileError, RuntimeError, TypeError, ValueError):
            said = (
                "no recording that can be read; WAV, FLAC and Ogg are (ffmpeg -i IN -c:a pcm_s16le OUT.wav makes one)"
            )
            raise self.refused(said) from None

    def _check(self) -> None:
        file = self._file
        if file.format not in FORMATS:
            said = f"{file.format}; WAV, FLAC and Ogg are read (ffmpeg -i IN -c:a pcm_s16le OUT.wav converts it)"
            raise self.refused(said)
        if not LOWEST <= file.samplerate <= HIGHEST:
            said = f"{file.samplerate} samples a second; {LOWEST} to {HIGHEST} are read (ffmpeg -ar 16000 converts it)"
            raise self.refused(said)
        if file.channels > MOST_CHANNELS:
            raise self.refused(f"{file.channels} channels; at most {MOST_CHANNELS} are read")

    def _check_end(self) -> None:
        """Refuse a file that holds less than its header says; FLAC says it exactly, and libsndfile corrects WAV and Ogg."""
        promised = self._file.frames
        if 0 < promised < 1 << 62 and self.samples < promised:
            raise self.refused("breaks off: its header promises more than there is; get the whole file again")

    def _check_length(self) -> None:
        longest = limit("audio_seconds")
        if self.samples > longest * self.rate:
            raise self.refused(f"longer than {longest} seconds, the most that is read; {raising('audio_seconds')}")

    @staticmethod
    def _library() -> Any:
        try:
            import soundfile
        except (ImportError, OSError):
            said = "scoring a recording needs the packages numpy and soundfile: pip install 'hotato[audio]'"
            raise EvidenceError(Problem(code="extra_missing", file="timing", message=said)) from None
        return soundfile


def _energies(piece: Numbers, edges: Sequence[int]) -> Numbers:
    """Return the sums of squares between edges, one row a channel."""
    import numpy as np

    hop = edges[1] - edges[0]
    if all(edge - edges[0] == hop * place for place, edge in enumerate(edges)):
        cut = piece.reshape(len(piece), -1, hop)
        squares: Numbers = np.einsum("ijk,ijk->ij", cut, cut)
        return squares
    starts = [edge - edges[0] for edge in edges[:-1]]
    sums: Numbers = np.add.reduceat(piece * piece, starts, axis=1)
    return sums

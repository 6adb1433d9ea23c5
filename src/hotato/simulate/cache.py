"""Speech and noise kept by what they were made of, so that many runs speak each text once.

A piece's name is the hash of its recipe. It is kept beside the hash of its samples, and one that was damaged is made anew.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

from hotato.context.files import read_bytes
from hotato.errors import UsageError
from hotato.model.codec import encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]

_DIGEST = 32  # bytes before the samples


class SoundCache:
    """Pieces of sound, in memory and, where a folder is given, in files of it that other processes share."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self._kept: dict[str, Samples] = {}

    def get(self, recipe: tuple[object, ...], make: Callable[[], Samples]) -> Samples:
        """Return the piece of a recipe, made by `make` where it is not kept yet. Raise UsageError where it cannot be kept."""
        key = sha256(encode(list(recipe)).encode()).hexdigest()
        found = self._kept.get(key)
        if found is None:
            found = self._read(key)
            if found is None:
                found = make()
                self._write(key, found)
            found.flags.writeable = False
            self._kept[key] = found
        return found

    def _place(self, key: str) -> str:
        return os.path.join(self.folder or "", "sound", key[:2], f"{key}.pcm")

    def _read(self, key: str) -> Samples | None:
        import numpy as np

        if self.folder is None or not os.path.lexists(self._place(key)):
            return None
        try:
            raw = read_bytes(self._place(key))
        except UsageError:
            return None
        digest, pcm = raw[:_DIGEST], raw[_DIGEST:]
        if sha256(pcm).digest() != digest or len(pcm) % 2:
            return None
        return np.frombuffer(pcm, dtype="<i2").astype(np.int16)

    def _write(self, key: str, samples: Samples) -> None:
        if self.folder is None:
            return
        from hotato.context.writing import unwritable

        place = self._place(key)
        pcm = samples.astype("<i2").tobytes()
        temporary = f"{place}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            with open(temporary, "wb") as file:
                file.write(sha256(pcm).digest() + pcm)
            os.replace(temporary, place)
        except OSError as cause:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise unwritable(os.path.dirname(place), cause) from None

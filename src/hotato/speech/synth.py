"""Speech from text, offline, for examples and tests: eSpeak NG, whose library and voices come in one package.

It sounds like a machine, which does not matter to what measures energy over time. The same arguments give the same samples
every time. Most voices of eSpeak NG waver in pitch, and by what was spoken before; those in `VOICES` do not.

Needs the extra `speech`: `pip install 'hotato[speech]'`.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hotato.errors import Problem, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]

VOICES = (
    "en-gb-x-rp+Denis",
    "en-gb-x-rp+Diogo",
    "en-gb-x-rp+Henrique",
    "en-gb-x-rp+Hugo",
    "en-gb-x-rp+michel",
    "en-gb-x-rp+miguel",
    "en-us+Denis",
    "en-us+Diogo",
    "en-us+Henrique",
    "en-us+Hugo",
    "en-us+michel",
    "en-us+miguel",
)
LONGEST = 10_000  # characters
_SYNCHRONOUS, _UTF8 = 2, 1
_SPEED, _PITCH = 1, 3
_TAPS = 48  # on each side of a sample, of the lower of the two rates
_one_at_a_time = threading.Lock()  # the library is one machine with one state
_loaded: list[tuple[Any, Any, list[bytes], int]] = []


def speak(text: str, voice: str = "en-us+Denis", rate: int = 16_000, *, speed: int = 170, pitch: int = 50) -> Samples:
    """Return a text as speech: 16-bit samples, `rate` a second.

    `speed` is in words a minute (80 to 450), `pitch` from 0 to 100. Raise UsageError where the extra is not installed, for
    a voice that is not in `VOICES`, and for values out of range.
    """
    for name, value, least, most in (
        ("rate", rate, 8_000, 48_000),
        ("speed", speed, 80, 450),
        ("pitch", pitch, 0, 100),
        ("text", len(text), 1, LONGEST),
    ):
        if not least <= value <= most:
            what = "has" if name == "text" else "is"
            unit = " characters" if name == "text" else ""
            raise _refused("value", name, f"{what} {least} to {most}{unit}")
    if voice not in VOICES:
        raise _refused("value", "voice", f"is one of {', '.join(VOICES)}")
    with _one_at_a_time:
        raw, own_rate = _spoken(text, voice, speed, pitch)
    import numpy as np

    return resampled(np.frombuffer(raw, dtype="<i2").astype(np.int16), own_rate, rate)


def resampled(samples: Samples, rate: int, wanted: int) -> Samples:
    """Return samples at another rate, by a windowed sinc whose weights are whole numbers: sums are exact on every machine."""
    import numpy as np

    if rate == wanted:
        return samples
    lower = min(rate, wanted) / rate  # the band that both can hold, as part of the source's
    reach = int(_TAPS / lower)
    count = len(samples) * wanted // rate
    step = math.gcd(rate, wanted)
    offsets = np.arange(-reach + 1, reach + 1)
    distance = (offsets[None, :] - np.arange(wanted // step)[:, None] * (step / wanted)) * lower
    window = np.cos(np.clip(distance / _TAPS, -1, 1) * np.pi / 2) ** 2
    weights = np.rint(np.sinc(distance) * window * lower * 32_768)  # a row for each place between two samples
    padded = np.concatenate([np.zeros(reach), samples.astype(np.float64), np.zeros(reach + 1)])
    found = np.empty(count, dtype=np.int16)
    for first in range(0, count, 4096):
        places = np.arange(first, min(first + 4096, count), dtype=np.int64) * rate
        around = padded[(places // wanted)[:, None] + offsets[None, :] + reach]
        sums = np.einsum("ij,ij->i", weights[places % wanted // step], around)
        found[first : first + len(places)] = np.clip(np.rint(sums / 32_768), -32_768, 32_767)
    return found


def _spoken(text: str, voice: str, speed: int, pitch: int) -> tuple[bytes, int]:
    library, _, pieces, rate = _library()
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise _refused("extra_missing", "voice", "not among the voices installed; install espeakng-loader again")
    library.espeak_SetParameter(_SPEED, speed, 0)
    library.espeak_SetParameter(_PITCH, pitch, 0)
    pieces.clear()
    raw = text.encode() + b"\0"
    library.espeak_Synth(raw, len(raw), 0, 1, 0, _UTF8, None, None)
    library.espeak_Synchronize()
    return b"".join(pieces), rate


def _library() -> tuple[Any, Any, list[bytes], int]:
    """Return the library, its callback (which must outlive it), where the callback puts samples, and their rate in Hz."""
    if _loaded:
        return _loaded[0]
    try:
        import espeakng_loader
    except ImportError:
        said = "speech needs the packages espeakng-loader and numpy: pip install 'hotato[speech]'"
        raise _refused("extra_missing", "", said) from None
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    pieces: list[bytes] = []
    declare: Callable[..., Any] = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
    )

    def take(samples: Any, count: int, _: Any) -> int:
        if samples and count > 0:
            pieces.append(ctypes.string_at(samples, 2 * count))
        return 0

    callback = declare(take)
    rate = library.espeak_Initialize(_SYNCHRONOUS, 0, espeakng_loader.get_data_path().encode(), 0)
    if rate <= 0:
        raise _refused("extra_missing", "", "the voices of eSpeak NG cannot be read; install espeakng-loader again")
    library.espeak_SetSynthCallback(callback)
    _loaded.append((library, callback, pieces, rate))
    return _loaded[0]


def _refused(code: str, name: str, said: str) -> UsageError:
    return UsageError(Problem(code=code, file="speak", path=name, message=said))

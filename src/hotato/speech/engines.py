"""What turns sound into words: an interface with two engines behind it.

`faster-whisper` is the one to use. `pocketsphinx` is small, reads English alone and often mishears; it keeps the interface
honest and needs no model beside its package.
"""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from hotato.errors import EvidenceError, Problem, UsageError
from hotato.speech import ENGINES
from hotato.speech.models import CARRIED, folder_of, identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]

RATE = 16_000  # Hz, what every engine hears


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """One utterance: its text, where it begins and ends, and its words with theirs; seconds from the start."""

    text: str
    start: float
    end: float
    words: tuple[tuple[str, float, float], ...] = ()


class Engine(Protocol):
    """What hears one channel. `identity` is all that decides what it says of the same sound, as plain JSON."""

    identity: dict[str, str]

    def hear(self, samples: Samples) -> list[Heard]:
        """Return what is said on a channel: 16 kHz, -1 to 1."""


def engine(name: str, *, model: str | None, device: str, language: str | None, cache: str) -> Engine:
    """Return an engine with its model. Raise UsageError, or EvidenceError with the command that installs what is missing."""
    if name not in ENGINES:
        raise UsageError(Problem(code="value", file="transcribe", path="engine", message=f"is {' or '.join(ENGINES)}"))
    if find_spec(ENGINES[name]) is None:
        how = "pip install 'hotato[transcribe]'" if name == "faster-whisper" else "pip install pocketsphinx"
        said = f"the engine {name} is not installed: {how}"
        raise EvidenceError(Problem(code="extra_missing", file="transcribe", message=said))
    if name == "pocketsphinx":
        for given, path in ((model, "model"), (language, "language")):
            if given not in (None, "en"):
                said = "pocketsphinx has the one model of English that it carries"
                raise UsageError(Problem(code="value", file="transcribe", path=path, message=said))
        return _Sphinx()
    return _Whisper(folder_of(model or CARRIED, cache), device, language)


class _Whisper:
    """Whisper by CTranslate2: no sampling, so that the same sound on the same machine gives the same words."""

    def __init__(self, folder: str, device: str, language: str | None) -> None:
        self._folder, self._device, self._language = folder, device, language
        self._model: Any = None
        self.identity = {
            "engine": "faster-whisper",
            "version": f"{version('faster-whisper')} {version('ctranslate2')}",
            "model": identity(folder),
            "device": device,
            "language": language or "",
        }

    def hear(self, samples: Samples) -> list[Heard]:
        if self._model is None:
            from faster_whisper import WhisperModel

            kind = "int8" if self._device == "cpu" else "default"
            try:
                self._model = WhisperModel(self._folder, device=self._device, compute_type=kind)
            except (RuntimeError, ValueError) as error:
                said = f"the model cannot be loaded on the device {self._device}: {error}"
                raise UsageError(Problem(code="model", file=self._folder, message=said)) from None
        try:
            found, _ = self._model.transcribe(
                samples,
                language=self._language,
                temperature=0.0,
                beam_size=5,
                condition_on_previous_text=False,
                vad_filter=True,
                word_timestamps=True,
            )
        except ValueError:
            said = "the model does not know this language; a code of two letters is meant, such as en or de"
            raise UsageError(Problem(code="value", file="transcribe", path="language", message=said)) from None
        return [
            Heard(
                text=one.text.strip(),
                start=_seconds(one.start),
                end=_seconds(one.end),
                words=tuple((word.word.strip(), _seconds(word.start), _seconds(word.end)) for word in one.words or ()),
            )
            for one in found
            if one.text.strip()
        ]


class _Sphinx:
    """CMU Sphinx with the model of English that its package carries; utterances as its own detector cuts them."""

    def __init__(self) -> None:
        self.identity = {"engine": "pocketsphinx", "version": version("pocketsphinx")}

    def hear(self, samples: Samples) -> list[Heard]:
        import numpy as np
        from pocketsphinx import Decoder, Endpointer

        raw = (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
        ends, decoder = Endpointer(sample_rate=RATE), Decoder(samprate=RATE)
        size, found, begun = ends.frame_bytes, [], 0.0
        for place in range(0, len(raw), size):
            frame, was = raw[place : place + size], ends.in_speech
            speech = ends.process(frame) if len(frame) == size else ends.end_stream(frame)
            if speech is None:
                continue
            if not was:
                begun = ends.speech_start
                decoder.start_utt()
            decoder.process_raw(speech, no_search=False, full_utt=False)
            if not ends.in_speech:
                decoder.end_utt()
                if decoder.hyp() is not None and decoder.hyp().hypstr:
                    found.append(Heard(text=decoder.hyp().hypstr, start=_seconds(begun), end=_seconds(ends.speech_end)))
        return found


def _seconds(value: float) -> float:
    return round(float(value), 3)

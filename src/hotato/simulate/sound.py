"""The sound of a simulated call: each utterance spoken, fitted to its time, and mixed with the noise of where the caller is.

The caller is on channel 0, the agent on channel 1. All arithmetic is of whole numbers, so the same call gives the same samples
on every machine. Needs the extras `audio` and `speech`.
"""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hotato.errors import Problem
from hotato.simulate.cache import SoundCache
from hotato.simulate.chance import draw
from hotato.simulate.play import Played, SimulatorInvalid, Utterance
from hotato.simulate.scenario import Scenario
from hotato.simulate.variants import Variant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]

RATES = {"phone": 8_000, "web": 16_000}
SPEECH = -24  # dBFS, the level of every utterance: from it an SNR is counted
SILENCE = -80  # dBFS, of a line on which nobody speaks
BED_SEC = 20  # of noise, which is repeated
_MADE_BY = 1  # raise it where the same recipe comes to make other samples
_SILENT = -100.0  # dBFS, below which there is no speech
_LOUD = 12.0  # dB below its loudest 10 ms where an utterance begins and ends
_ACCENTS = {"en-gb": ("en-gb-x-rp+Henrique", "en-us+Denis"), "en": ("en-us+Hugo", "en-gb-x-rp+Denis")}
_BABBLE = (
    ("en-us+Diogo", "so I told them we would come on Sunday but then the train was late again and nobody rang us"),
    (
        "en-gb-x-rp+miguel",
        "two flat whites and one tea please and do you still have any of the lemon cake from earlier",
    ),
    ("en-us+michel", "the meeting moved to four which means that I can pick up the children on the way back home"),
    ("en-gb-x-rp+Diogo", "no the other one by the window the one with the green chairs we sat there the last time too"),
    ("en-us+miguel", "I would not pay that much for it my neighbour got the same thing for half of what they ask"),
    ("en-gb-x-rp+michel", "have you read the book that she gave you or is it still on the pile beside the bed"),
)


def is_installed() -> bool:
    """Say whether sound can be made and measured here."""
    return all(find_spec(name) is not None for name in ("numpy", "soundfile", "espeakng_loader"))


def stereo(scenario: Scenario, variant: Variant, played: Played, cache: SoundCache) -> tuple[Samples, int]:
    """Return both channels side by side, and their samples a second. Raise SimulatorInvalid where no voice speaks so."""
    import numpy as np

    from hotato.speech.mix import placed

    route = scenario.environment.route
    rate = RATES[route]
    voices = dict(zip(("caller", "agent"), _voices(scenario, variant), strict=True))
    count = played.length * rate // 1000
    lines: dict[str, list[tuple[int, Samples]]] = {"caller": [], "agent": []}
    for turn in played.turns:
        piece = _fitted(turn, _spoken(turn.words, voices[turn.role], route, cache), rate)
        lines[turn.role].append((turn.start * rate // 1000, piece))
    noise = variant.noise if variant.noise != "clean" else "silence"
    level = SPEECH - variant.snr_db if variant.noise != "clean" else SILENCE
    beds = {"caller": (noise, level), "agent": ("silence", float(SILENCE))}
    channels = []
    for role, pieces in lines.items():
        bed, dbfs = beds[role]
        offset = draw(variant.seed, "noise", role) % (BED_SEC * rate)
        around = _bed(bed, route, cache)
        around = np.resize(np.concatenate([around[offset:], around[:offset]]), count)
        channels.append(placed(count, [*pieces, (0, _scaled(around, dbfs - SPEECH))]))
    return np.stack(channels, axis=1), rate


def wav(samples: Samples, rate: int) -> bytes:
    """Return samples as a WAV file that says that it is simulated."""
    import soundfile

    stream = io.BytesIO()
    with soundfile.SoundFile(stream, "w", rate, samples.shape[1], subtype="PCM_16", format="WAV") as file:
        file.comment = "origin: simulated"
        file.write(samples)
    return stream.getvalue()


def _voices(scenario: Scenario, variant: Variant) -> tuple[str, str]:
    """Return the voices of caller and agent."""
    locale = variant.locale.lower().replace("_", "-")
    found = _ACCENTS.get(locale) or _ACCENTS.get(locale.partition("-")[0])
    if found is None:
        said = f"there is no voice for the locale {variant.locale}; simulate without sound, or in English"
        raise SimulatorInvalid(Problem(code="simulator_invalid", file=scenario.id, message=said))
    return found


def _spoken(words: str, voice: str, route: str, cache: SoundCache) -> Samples:
    """Return a text as speech without pauses, from where it is loud to where it ceases to be."""
    text = " ".join(re.findall(r"[\w'\u2019@%&+-]+", words)) or "mm"  # a pause would be heard as an end of the turn
    return cache.get(("utterance", _MADE_BY, text, voice, route), lambda: _synthesised(text, voice, route))


def _synthesised(text: str, voice: str, route: str) -> Samples:
    """Return a text as speech. Raise SimulatorInvalid for one that is too long for the voice, or that it has no sound for."""
    from hotato.speech.mix import level, telephone
    from hotato.speech.synth import LONGEST, speak

    if len(text) > LONGEST:
        raise _unspeakable(f"an utterance of {len(text)} characters; at most {LONGEST} are spoken")
    rate = RATES[route]
    sound = speak(text, voice, rate)
    hop = rate // 100
    levels = [level(sound[at : at + hop]) for at in range(0, len(sound) - hop, hop)]
    loudest = max(levels, default=-120.0)
    if loudest <= _SILENT:
        raise _unspeakable("the voice has no sound for an utterance")
    loud = [place for place, one in enumerate(levels) if one >= loudest - _LOUD]
    sound = sound[loud[0] * hop : (loud[-1] + 1) * hop]
    sound = telephone(sound, rate) if route == "phone" else sound
    return _scaled(sound, SPEECH - level(sound))


def _unspeakable(said: str) -> SimulatorInvalid:
    return SimulatorInvalid(Problem(code="simulator_invalid", file="speech", message=said))


def _fitted(turn: Utterance, sound: Samples, rate: int) -> Samples:
    """Return speech stretched to how long its words take here, cut where its speaker broke off."""
    import numpy as np

    count = turn.whole_ms * rate // 1000
    places = np.arange(count, dtype=np.int64) * (len(sound) - 1)
    left, part = places // count, places % count
    ahead = np.minimum(left + 1, len(sound) - 1)
    wide = sound.astype(np.int64)
    fitted = (wide[left] * (count - part) + wide[ahead] * part) // count
    return fitted[: (turn.end - turn.start) * rate // 1000].astype(np.int16)


def _scaled(sound: Samples, decibels: float) -> Samples:
    from hotato.speech.mix import louder

    return louder(sound, decibels)


def _bed(name: str, route: str, cache: SoundCache) -> Samples:
    """Return a stretch of noise at the level of speech."""
    return cache.get(("bed", _MADE_BY, name, route), lambda: _made_bed(name, route, cache))


def _made_bed(name: str, route: str, cache: SoundCache) -> Samples:
    import numpy as np

    from hotato.speech.mix import level, noise, telephone

    rate = RATES[route]
    count = BED_SEC * rate
    bed = noise(count, SPEECH, draw(0, name, route) >> 40)
    if name == "silence":
        return bed
    if name == "cafe":
        line = _scaled(bed, -8).astype(np.int64)
        for place, (voice, text) in enumerate(_BABBLE):
            spoken = np.resize(_spoken(text, voice, route, cache), count)
            line += np.roll(_scaled(spoken, -8), draw(0, name, place) % count)
    else:  # traffic: the deep part of the noise, which swells and ebbs by 4 dB
        deep = np.convolve(bed.astype(np.int64), np.ones(16, dtype=np.int64))[:count] // 4
        period = 5 * rate
        swell = np.abs(np.arange(count) % period - period // 2) * 600 // (period // 2)
        line = deep * (1000 + swell) // 1600
    mixed = np.clip(line, -32_768, 32_767).astype(np.int16)
    mixed = telephone(mixed, rate) if route == "phone" else mixed
    return _scaled(mixed, SPEECH - level(mixed))

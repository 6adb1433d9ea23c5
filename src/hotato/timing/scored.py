"""A recording and its label become an event, with the frames that it rests on."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.errors import EvidenceError, Problem, UsageError
from hotato.timing.audio import Sound
from hotato.timing.config import Config, microseconds
from hotato.timing.echo import Echo, echo_of
from hotato.timing.event import measure
from hotato.timing.frames import Frames, channel_of
from hotato.timing.label import Label, Recording
from hotato.timing.told import Seen, Source, event_of

if TYPE_CHECKING:
    from hotato.timing.audio import Numbers
    from hotato.timing.frames import Levels

Side = tuple[Sound, int]


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """One recording, scored.

    `event` is the event of the envelope, plain JSON. `frames` are what it rests on. `source` says what was read.
    """

    event: Mapping[str, Any]
    frames: Frames
    label: Label
    config: Config
    source: Source

    @property
    def is_scorable(self) -> bool:
        """Say whether the event has a verdict."""
        return bool(self.event["scorable"])


def check_installed() -> None:
    """Raise EvidenceError where the packages that scoring needs are missing."""
    from importlib.util import find_spec

    if find_spec("numpy") is None or find_spec("soundfile") is None:
        said = "scoring a recording needs the packages numpy and soundfile: pip install 'hotato[audio]'"
        raise EvidenceError(Problem(code="extra_missing", file="timing", message=said))


def score(recording: Recording, label: Label, config: Config) -> Scored:
    """Score one recording. Raise EvidenceError where it cannot be read, UsageError where it cannot be what is meant."""
    recording.check()
    label.check()
    check_installed()
    with contextlib.ExitStack() as stack:
        sides = _sides(recording, stack)
        levels = _levels(sides, config)
        count = min(map(len, levels))
        caller, agent = (channel_of(side[:count], config) for side in levels)
        frames = Frames(hop_us=config.hop_us, caller=caller, agent=agent)
        source = _source(sides, levels, config)
        if label.onset_sec is not None and microseconds(label.onset_sec) >= count * config.hop_us:
            said = f"lies after the end of the recording, which has {source.duration_sec:.2f} seconds"
            raise UsageError(Problem(code="value", file=sides[0][0].name, path="onset_sec", message=said))
        measured = measure(frames, label, config)
        echo = Echo()
        if measured.onset is not None and measured.window_end is not None:
            echo = echo_of(sides, frames, measured.onset, measured.window_end, config)
    seen = Seen(frames=frames, measured=measured, echo=echo, source=source, config=config)
    event = event_of(seen, label)
    return Scored(event=event, frames=frames, label=label, config=config, source=source)


def _sides(recording: Recording, stack: contextlib.ExitStack) -> tuple[Side, Side]:
    """Return the caller's and the agent's sound, each with the number of its channel. Raise EvidenceError."""
    if recording.stereo is not None:
        sound = stack.enter_context(Sound(recording.stereo))
        if sound.channels == 1:
            said = "mono: who is heard cannot be told; record caller and agent on a channel each, or give two files"
            raise _no_channel(sound, said)
        for name, column in (("caller", recording.caller_channel), ("agent", recording.agent_channel)):
            if column >= sound.channels:
                raise _no_channel(sound, f"has channels 0 to {sound.channels - 1}; the {name}'s is to be {column}")
        return (sound, recording.caller_channel), (sound, recording.agent_channel)
    sounds = [stack.enter_context(Sound(path)) for path in (recording.caller, recording.agent) if path is not None]
    for sound in sounds:
        if sound.channels != 1:
            raise _no_channel(
                sound, f"has {sound.channels} channels; as one side alone it has one, as both it is stereo"
            )
    return (sounds[0], 0), (sounds[1], 0)


def _no_channel(sound: Sound, said: str) -> EvidenceError:
    return EvidenceError(Problem(code="audio_channels", file=sound.name, message=said))


def _levels(sides: tuple[Side, Side], config: Config) -> list[Levels]:
    """Return the levels of each side, reading a file once even where it holds both."""
    import numpy as np

    if sides[0][0] is sides[1][0]:
        sound = sides[0][0]
        both = _gathered(sound, [column for _, column in sides], config)
        energies = [both[0], both[1]]
    else:
        energies = [_gathered(sound, [column], config)[0] for sound, column in sides]
    for (sound, _), found in zip(sides, energies, strict=True):
        if len(found) < config.cells:
            raise sound.refused(f"shorter than one frame of {config.frame_sec} seconds")
    return [_in_decibels(np.asarray(found), sound, config) for (sound, _), found in zip(sides, energies, strict=True)]


def _gathered(sound: Sound, columns: Sequence[int], config: Config) -> Numbers:
    import numpy as np

    pieces = list(sound.energies(columns, config.hop_us))
    return np.concatenate(pieces, axis=1) if pieces else np.zeros((len(columns), 0))


def _in_decibels(energies: Numbers, sound: Sound, config: Config) -> Levels:
    """Return the level of each frame, hundredths of dBFS: the mean square of its samples, those after the end being silent."""
    import numpy as np

    cells, count = config.cells, len(energies)
    padded = np.concatenate([energies, np.zeros(cells - 1)])
    sums = padded[:count].copy()
    for step in range(1, cells):
        sums += padded[step : step + count]
    edges = np.arange(count + cells, dtype=np.int64) * config.hop_us * sound.rate // 1_000_000
    samples = edges[cells:] - edges[:count]
    lowest = round(config.floor_dbfs * 100)
    with np.errstate(divide="ignore"):
        levels = np.rint(1000 * np.log10(sums / (samples * sound.full_scale**2)))
    made: Levels = np.maximum(levels, lowest).astype(np.int32)
    return made


def _source(sides: tuple[Side, Side], levels: Sequence[Levels], config: Config) -> Source:
    sounds = list(dict.fromkeys(sound for sound, _ in sides))
    lengths = sorted(sound.samples / sound.rate for sound in sounds)
    return Source(
        form=" + ".join(sound.form for sound in sounds),
        rate=sounds[0].rate,
        duration_sec=round(lengths[0], 6),
        frames=min(map(len, levels)),
        left_over_sec=round(lengths[-1] - lengths[0], 6),
        clipped=sum(sound.clipped for sound in sounds),
        hop_sec=config.hop_sec,
    )

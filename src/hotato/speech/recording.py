"""A recording as the engines hear it: each channel on its own, 16 kHz."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hotato.context.files import open_regular
from hotato.errors import EvidenceError, Problem
from hotato.model.limits import limit, raising
from hotato.speech.engines import RATE

if TYPE_CHECKING:
    from hotato.speech.engines import Samples


def channels_of(path: str) -> list[Samples]:
    """Return one channel, or two. Raise EvidenceError for what is damaged, too long, or has more.

    Whatever FFmpeg decodes is read; whether a file is whole is looked at before.
    """
    import av
    import numpy as np
    from faster_whisper.audio import decode_audio

    with open_regular(path, error=EvidenceError) as file:
        if not file.read(1):
            raise refused(path, "an empty file, no recording")
    try:
        with av.open(path, mode="r", metadata_errors="ignore") as container:
            streams = container.streams.audio
            if not streams:
                raise refused(path, "holds no sound")
            count, length = streams[0].channels, container.duration
        if length is not None and length / 1e6 > limit("audio_seconds"):
            said = f"longer than {limit('audio_seconds')} seconds, the most that is read; {raising('audio_seconds')}"
            raise refused(path, said)
        if count > 2:
            raise refused(path, f"has {count} channels; one, or caller and agent on a channel each, are read")
        if count == 1:
            found = [decode_audio(path, sampling_rate=RATE)]
        else:
            found = list(decode_audio(path, sampling_rate=RATE, split_stereo=True))
    except (av.error.FFmpegError, ValueError, IndexError) as cause:
        if isinstance(cause, EvidenceError):
            raise
        raise refused(path, "no recording that can be read") from None
    if not len(found[0]):
        raise refused(path, "holds no sound")
    if any(not np.isfinite(side).all() for side in found):
        raise refused(path, "holds samples that are no numbers (NaN or infinite); export it again as 16-bit PCM")
    return found


def refused(path: str, said: str) -> EvidenceError:
    """Return the refusal of a recording."""
    return EvidenceError(Problem(code="audio", file=os.fspath(path), message=said))

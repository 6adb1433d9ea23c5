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

    WAV, FLAC and Ogg are checked to be whole, as scoring checks them; whatever else FFmpeg decodes is read as well.
    """
    import av
    import numpy as np
    from faster_whisper.audio import decode_audio

    with open_regular(path, error=EvidenceError) as file:
        head = file.read(12)
        if not head:
            raise _refused(path, "an empty file, no recording")
    if head[:4] in (b"RIFF", b"RF64", b"RIFX", b"fLaC", b"OggS"):
        _check_whole(path)
    try:
        with av.open(path, mode="r", metadata_errors="ignore") as container:
            streams = container.streams.audio
            if not streams:
                raise _refused(path, "holds no sound")
            count, length = streams[0].channels, container.duration
        if length is not None and length / 1e6 > limit("audio_seconds"):
            said = f"longer than {limit('audio_seconds')} seconds, the most that is read; {raising('audio_seconds')}"
            raise _refused(path, said)
        if count > 2:
            raise _refused(path, f"has {count} channels; one, or caller and agent on a channel each, are read")
        if count == 1:
            found = [decode_audio(path, sampling_rate=RATE)]
        else:
            found = list(decode_audio(path, sampling_rate=RATE, split_stereo=True))
    except (av.error.FFmpegError, ValueError, IndexError) as cause:
        if isinstance(cause, EvidenceError):
            raise
        raise _refused(path, "no recording that can be read") from None
    if not len(found[0]):
        raise _refused(path, "holds no sound")
    if any(not np.isfinite(side).all() for side in found):
        raise _refused(path, "holds samples that are no numbers (NaN or infinite); export it again as 16-bit PCM")
    return found


def _check_whole(path: str) -> None:
    from hotato.timing.container import broken_off

    with open_regular(path, error=EvidenceError) as file:
        cut = broken_off(file)
    if cut:
        raise _refused(path, f"breaks off: {cut}; get the whole file again")


def _refused(path: str, said: str) -> EvidenceError:
    return EvidenceError(Problem(code="audio", file=os.fspath(path), message=said))

"""Feed the scorer damaged recordings and say what came of it.

    python tools/fuzz_audio.py [SECONDS] [SEED]     60 seconds, seed 1, by default

Recordings in every form that is read are cut, given sizes that are untrue, bytes flipped, parts of one another, other names and
nothing at all. Each is scored or refused with UsageError, within 512 MB beyond what the process holds and 10 seconds, and a
second time with the same result. What fails is kept under build/fuzz/, and the run ends with 1.
"""

from __future__ import annotations

import io
import random
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import soundfile

from hotato.core import run_single
from hotato.errors import UsageError
from hotato.model.codec import encode

FORMS = (
    ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "PCM_32"), ("WAV", "PCM_U8"), ("WAV", "FLOAT"), ("WAV", "DOUBLE"),
    ("WAV", "ULAW"), ("WAV", "ALAW"), ("WAVEX", "PCM_16"), ("RF64", "PCM_16"), ("FLAC", "PCM_16"), ("FLAC", "PCM_24"),
    ("OGG", "VORBIS"), ("OGG", "OPUS"),
)  # fmt: skip
MOST_MEMORY = 512 * 1024 * 1024
MOST_SECONDS = 10.0
KEPT = Path("build") / "fuzz"
SIZES = (0, 1, 2, 3, 4, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x7FFF_F000)


def seeds() -> list[bytes]:
    """Return a short recording in every form."""
    rate = 8000
    steps = np.arange(rate * 2)
    tone = np.sin(steps * 2 * np.pi * 220 / rate) * 0.4
    both = np.stack([tone * (steps > rate // 2) * (steps < rate * 1.5), tone * (steps < rate)], axis=1)
    made = []
    for form, subtype in FORMS:
        out = io.BytesIO()
        soundfile.write(out, both, rate, format=form, subtype=subtype)
        made.append(out.getvalue())
    return made


def damaged(chance: random.Random, known: list[bytes]) -> bytes:
    """Return a recording with one to four things wrong."""
    raw = bytearray(chance.choice(known))
    for _ in range(chance.randint(1, 4)):
        how = chance.randrange(8)
        place = chance.randrange(len(raw) + 1) if chance.random() < 0.4 else chance.randrange(min(len(raw), 120) + 1)
        if how == 0:
            del raw[place:]
        elif how == 1 and place < len(raw):
            raw[place] ^= 1 << chance.randrange(8)
        elif how == 2:
            raw[place : place + 4] = chance.choice(SIZES).to_bytes(4, chance.choice(("little", "big")))
        elif how == 3:
            other = chance.choice(known)
            raw[place:] = other[chance.randrange(len(other)) :]
        elif how == 4:
            raw[place:place] = bytes(chance.randrange(256) for _ in range(chance.randrange(64)))
        elif how == 5:
            del raw[place : place + chance.randrange(1, 64)]
        elif how == 6:
            raw[place : place + 8] = b"\0" * 8
        else:
            raw[:12] = chance.choice(known)[:12]
    return bytes(raw)


def outcome(path: Path) -> str:
    """Return what comes of a recording; whatever is neither scores nor a refusal is raised."""
    try:
        return encode(run_single(stereo=path))
    except UsageError as error:
        return str(error)


def inputs(chance: random.Random) -> Iterator[bytes]:
    """Yield damaged recordings without end."""
    known = seeds()
    yield b""
    yield from known
    while True:
        yield damaged(chance, known)


def main(seconds: float = 60.0, seed: float = 1.0) -> int:
    """Run for so many seconds."""
    resource.setrlimit(
        resource.RLIMIT_AS, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + MOST_MEMORY * 4,) * 2
    )
    count = scored = failed = 0
    slowest, until = 0.0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.wav"
        for raw in inputs(random.Random(int(seed))):
            if time.monotonic() > until or failed >= 5:
                break
            path.write_bytes(raw)
            start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                first = outcome(path)
                told = "" if first == outcome(path) else "a second reading differs"
            except Exception:
                told = traceback.format_exc()
            taken = time.monotonic() - start
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            told = told or (f"took {taken:.1f} s" if taken > MOST_SECONDS else "")
            told = told or (f"took {grown} bytes more" if grown > MOST_MEMORY else "")
            count, slowest = count + 1, max(slowest, taken)
            scored += first.startswith("{") if not told else 0
            if told:
                failed += 1
                KEPT.mkdir(parents=True, exist_ok=True)
                kept = KEPT / f"audio-{sha256(raw).hexdigest()[:12]}"
                kept.write_bytes(raw)
                print(f"{kept}: {told}")
    print(f"audio: {count} inputs, {scored} scored, slowest {slowest * 1e3:.0f} ms, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:3])))

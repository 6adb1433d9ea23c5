"""Write the recordings and labels of the suite `barge-in`.

    python tools/make_suite.py            write the files
    python tools/make_suite.py --check    write nothing; exit 1 and say what differs where a file is not what is made

Needs the extras `audio` and `speech`.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import soundfile

from suite_sound import SCENARIOS, label_of, made, stereo

FOLDER = Path(__file__).resolve().parent.parent / "src" / "hotato" / "timing" / "suites" / "barge_in"


def outputs() -> dict[str, bytes]:
    """Return every file of the suite by its name."""
    found: dict[str, bytes] = {}
    for one in SCENARIOS:
        recording = made(one)
        stream = io.BytesIO()
        soundfile.write(stream, stereo(recording), one.rate, format="FLAC", subtype="PCM_16")
        found[f"{one.id}.flac"] = stream.getvalue()
        found[f"{one.id}.json"] = (json.dumps(label_of(one, recording.truth), indent=2) + "\n").encode()
    return found


def differs(name: str, wanted: bytes) -> str:
    """Return how a file on disk differs from what is made, empty where it does not."""
    file = FOLDER / name
    if not file.is_file():
        return "missing"
    there = file.read_bytes()
    if there == wanted:
        return ""
    if name.endswith(".flac"):
        (old, old_rate), (new, new_rate) = (soundfile.read(io.BytesIO(raw), dtype="int16") for raw in (there, wanted))
        if old_rate == new_rate and old.shape == new.shape and np.array_equal(old, new):
            return ""  # the same samples, packed by another version of the encoder
    return "differs"


def main(arguments: list[str]) -> int:
    """Run the command; return its exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: make_suite.py [--check]", file=sys.stderr)
        return 2
    wanted = outputs()
    stale = {name: how for name, raw in wanted.items() if (how := differs(name, raw))}
    old = sorted(file.name for file in FOLDER.glob("*") if file.name not in wanted) if FOLDER.is_dir() else []
    if arguments:
        for name, how in [*stale.items(), *((name, "nothing makes it") for name in old)]:
            print(f"{name}: {how}; run tools/make_suite.py")
        return int(bool(stale or old))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in old:
        (FOLDER / name).unlink()
    for name in stale:
        (FOLDER / name).write_bytes(wanted[name])
        print(f"wrote {name}: {len(wanted[name])} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What scoring a recording costs: processor time beside reading the same file with soundfile alone, and memory.

    python benchmarks/timing.py [MINUTES]    five minutes of 48 kHz stereo by default; 60 takes 700 MB of disk

Both are measured in turns in processes of their own; medians are printed. An hour is told from the minutes that were measured
by two lengths, so that what starting costs is not multiplied.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RATE = 48_000
ROUNDS = 5
_MEASURE = """
import resource, sys, time
import numpy, soundfile
path = sys.argv[1]
{first}
start = time.process_time()
{work}
spent = time.process_time() - start
print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
_READ = """
with soundfile.SoundFile(path) as file:
    block = numpy.empty((RATE, 2), dtype=KIND)
    while len(file.read(out=block)):
        pass
""".replace("RATE", str(RATE))
WORK = {
    "soundfile alone, its default (float64)": ("", _READ.replace("KIND", "'float64'")),
    "soundfile alone, 16 bits as they are": ("", _READ.replace("KIND", "'int16'")),
    "hotato": ("from hotato.core import run_single", "run_single(stereo=path)"),
}


def main(minutes: float = 5.0) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        whole, half = Path(folder) / "whole.wav", Path(folder) / "half.wav"
        make(whole, minutes)
        make(half, minutes / 2)
        print(f"scoring {minutes:g} minutes of {RATE} Hz stereo, 16 bits; processor time, memory at its highest")
        spent: dict[str, float] = {}
        for name, (first, work) in WORK.items():
            long, memory = measured(first, work, whole)
            short, _ = measured(first, work, half)
            spent[name] = long
            hour = short + (long - short) * (60 - minutes / 2) / (minutes / 2)
            print(
                f"  {name:<40} {long:7.3f} s  {memory:5.0f} MB  an hour: {hour:6.2f} s, {3600 / hour:6.0f}x real time"
            )
        for name in list(WORK)[:2]:
            print(f"  hotato to {name}: {spent['hotato'] / spent[name]:.1f}")


def measured(first: str, work: str, path: Path) -> tuple[float, float]:
    """Return processor seconds (median) and megabytes (the most) of a piece of work."""
    code = _MEASURE.format(first=first, work=work)
    found = []
    for _ in range(ROUNDS):
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        found.append([float(word) for word in done.stdout.split()])
    return statistics.median(one[0] for one in found), max(one[1] for one in found)


def make(path: Path, minutes: float) -> None:
    """Write a recording: tones that take turns, in noise."""
    import numpy as np
    import soundfile

    random = np.random.default_rng(1)
    tone = np.sin(np.arange(RATE) * 2 * np.pi * 220 / RATE) * 6000
    with soundfile.SoundFile(path, "w", RATE, 2, "PCM_16") as file:
        for second in range(round(minutes * 60)):
            block = random.standard_normal((RATE, 2)) * 20
            block[:, 0] += tone if second % 7 in (3, 4) else 0
            block[:, 1] += tone if second % 7 in (0, 1, 2, 3, 5) else 0
            file.write(block.astype(np.int16))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))

"""Hold the timing scorer against real recordings and their labels, and print the table of docs/timing.md.

    python examples/corpora/timing.py FOLDER

FOLDER holds `audio/` and `corpora/`. Recordings with one channel are put on two by their labels: each turn on the channel of
its speaker, silence elsewhere, so that what is compared is where a turn is found to begin and end. `tau2voice` has no sound,
only who speaks when, on a grid of 0.2 s: tones stand for speech there, and its yields and responses are held against the
scorer's.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile
from corpus import read

from hotato.timing import Config, Label, Recording, score
from hotato.timing.event import measure, turns
from hotato.timing.frames import Channel, Frames

NEAR = 0.03  # one frame and one hop, seconds
RATE = 8_000


class Turn(NamedTuple):
    """Who speaks from when until when, seconds."""

    who: str
    start: float
    end: float


class Row(NamedTuple):
    """One comparison: what of which recording, the label, what was measured (None where nothing was), and why they differ."""

    corpus: str
    what: str
    label: float
    found: float | None
    why: str = ""

    @property
    def gap(self) -> float | None:
        """Return how far the measurement is from the label, seconds; None where nothing was measured."""
        return None if self.found is None else abs(self.found - self.label)


def boundaries(corpus: str, recording: str, channels: np.ndarray, rate: int, labelled: list[Turn]) -> Iterator[Row]:
    """Hold each labelled turn against the runs that overlap it."""
    frames = _frames(channels, rate)
    hop = frames.hop_us / 1e6
    for turn in labelled:
        side: Channel = getattr(frames, turn.who)
        found = [(a * hop, b * hop) for a, b in turns(frames, side, Config())]
        over = [one for one in found if min(one[1], turn.end) > max(one[0], turn.start)]
        for what, label, place in (("begins", turn.start, 0), ("ends", turn.end, -1)):
            at = over[place][place] if over else None
            yield Row(corpus, f"{recording} {what}", label, at, "" if at is None else _between(side, hop, label, at))


def _frames(channels: np.ndarray, rate: int) -> Frames:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.wav"
        soundfile.write(path, channels, rate, subtype="PCM_16")
        return score(Recording(stereo=path), Label(expect="hold"), Config()).frames


def _between(side: Channel, hop: float, label: float, found: float) -> str:
    """Say how loud it is between the label and what was found, beside the threshold of the side."""
    first, after = sorted((round(label / hop), round(found / hop)))
    levels = side.levels[first:after]
    if not len(levels):
        return ""
    quiet = int((levels < side.threshold).sum())
    return f"{quiet} of {len(levels)} frames between lie below the threshold, {side.threshold / 100:.0f} dBFS"


def apart(samples: np.ndarray, rate: int, labelled: list[Turn]) -> np.ndarray:
    """Return two channels of one: each turn on its speaker's, silence elsewhere."""
    found = np.zeros((len(samples), 2))
    for turn in labelled:
        first, after = round(turn.start * rate), round(turn.end * rate)
        found[first:after, 0 if turn.who == "caller" else 1] = samples[first:after]
    return found


def diar(audio: Path) -> Iterator[Row]:
    """Read speech in turns, whose times are exact."""
    for line in (audio / "diar" / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        samples, rate = soundfile.read(audio / "diar" / Path(one["audio"]).name)
        labelled = [Turn("caller" if t["speaker"] % 2 == 0 else "agent", t["start"], t["end"]) for t in one["turns"]]
        yield from boundaries("diar", one["id"], apart(samples, rate, labelled), rate, labelled)


def ami(audio: Path) -> Iterator[Row]:
    """Meeting excerpts in one channel, labelled by people: where anybody speaks, since most turns overlap others."""
    for name, file in (("dev", "debug.development.rttm"), ("tst", "debug.test.rttm")):
        samples, rate = soundfile.read(audio / "ami" / f"ami_{name}00.wav")
        fields = [line.split() for line in (audio / "ami" / file).read_text(encoding="utf-8").splitlines()]
        spoken = sorted((float(f[3]), float(f[3]) + float(f[4])) for f in fields if f[1] == f"{name}00")
        labelled: list[Turn] = []
        for start, end in spoken:
            if labelled and start - labelled[-1].end < Config().quiet_sec:
                labelled[-1] = labelled[-1]._replace(end=max(end, labelled[-1].end))
            else:
                labelled.append(Turn("caller", start, end))
        channels = np.stack([samples, np.zeros_like(samples)], axis=1)
        yield from boundaries("ami", f"{name}00", channels, rate, labelled)


def tau2voice(corpora: Path) -> Iterator[Row]:
    """Who speaks when, as tones; each labelled yield and response against what the scorer measures."""
    for record in read(corpora, "tau2voice"):
        yield from _of_call(record)


def _of_call(record: dict[str, Any]) -> Iterator[Row]:
    activity = record["speech_activity"]
    last = max(end for side in activity.values() for _, end in side)
    channels = np.zeros((round((last + 4) * RATE), 2))
    tone = np.sin(np.arange(len(channels)) * 2 * np.pi * 300 / RATE) * 0.3
    for place, side in enumerate(("caller", "agent")):
        for start, end in activity[side]:
            first, after = round(start * RATE), round(end * RATE)
            channels[first:after, place] = tone[first:after]
    frames = _frames(channels, RATE)
    for event in record["expected"]["voice_events"]:
        at, latency = event["at_sec"], event["latency_sec"]
        if event["type"] == "yield":
            found = measure(frames, Label(onset_sec=at), Config()).time_to_yield
        elif event["type"] == "response":
            begun = max(start for start, _ in activity["caller"] if start < at)
            made = measure(frames, Label(expect="hold", onset_sec=begun), Config())
            found = None if made.restart is None or made.caller_end is None else made.restart - made.caller_end
        else:
            continue
        yield Row("tau2voice", f"{record['call_id']} at {at} {event['type']}", latency, found and found / 1e6)


def tables(folder: Path) -> dict[str, list[Row]]:
    """Return every comparison, by corpus and by what is compared."""
    found: dict[str, list[Row]] = {}
    audio = folder / "audio"
    for rows in (diar(audio), ami(audio), tau2voice(folder / "corpora")):
        for row in rows:
            found.setdefault(f"{row.corpus}, {row.what.rpartition(' ')[2]}", []).append(row)
    return found


def is_near(row: Row) -> bool:
    """Say whether a measurement is within a frame and a hop of its label."""
    return row.gap is not None and row.gap <= NEAR + 1e-6


def main(folder: Path) -> int:
    """Print a table, and every miss."""
    print("| corpus | compared | within 30 ms | median | worst |\n| --- | --- | --- | --- | --- |")
    misses: list[Row] = []
    for name, rows in tables(folder).items():
        gaps = [row.gap for row in rows if row.gap is not None]
        middle, worst = (f"{value * 1000:.0f} ms" for value in (statistics.median(gaps), max(gaps)))
        print("|", " | ".join((name, str(len(rows)), str(sum(map(is_near, rows))), middle, worst)), "|")
        misses += [row for row in rows if not is_near(row)]
    print(f"\n{len(misses)} misses:")
    for row in misses:
        found = "nothing" if row.found is None else f"{row.found:.2f}"
        print(f"  {row.corpus}: {row.what}: label {row.label:.2f}, found {found}; {row.why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

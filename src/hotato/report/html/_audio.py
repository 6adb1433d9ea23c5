"""What a page plays: the recording of the call, and a short clip of each moment that failed."""

from __future__ import annotations

import base64
import math
from typing import NamedTuple

from hotato.report._sound import Sound, silenced
from hotato.report._view import View
from hotato.report.html._links import Link, Links

BESIDE = 3.0  # seconds of a clip before and after its moment
LONGEST = 6.0  # seconds of a moment that a clip holds
MOST_SOUND = 24 * 1024 * 1024  # bytes of a whole recording that a page embeds
MOST_CLIPS = 8 * 1024 * 1024  # bytes of all clips together


class Clip(NamedTuple):
    """A moment that failed: the turn or span, the results that rest on it, and its sound as a data: address."""

    moment: Link
    results: list[Link]
    seconds: str
    source: str


class Audio(NamedTuple):
    """The sound of a page. `source` is empty where the recording is too large to embed; `said` tells what is left out."""

    source: str
    clips: list[Clip]
    times: str
    said: list[str]


def collect(view: View, links: Links, first: float, per_second: float) -> Audio | None:
    """Return the sound of a page; None without a recording.

    `first` is the second at which the timeline begins and `per_second` how many percent of its width a second takes.
    """
    if view.audio is None:
        return None
    times = _times(view)
    said: list[str] = []
    sound = _muted(view, said)
    if sound is None:
        return Audio("", [], "", said)
    whole = sound.wav()
    if len(whole) > MOST_SOUND:
        said.append(f"The recording is larger than {MOST_SOUND // 1024**2} MB and is not on the page; the clips are.")
    clips = _clips(view, links, sound, times, said)
    listed = " ".join(f"{anchor}={start:.3f}" for anchor, (start, _) in times.items())
    scale = f"{first:.6f} {per_second:.6f}"
    return Audio("" if len(whole) > MOST_SOUND else _data(whole), clips, f"{scale} {listed}".strip(), said)


def _times(view: View) -> dict[str, tuple[float, float]]:
    found = {}
    for anchor, item in [(f"t-{turn['turn']}", turn) for turn in view.transcript or ()] + [
        (span["id"], span) for span in view.spans or ()
    ]:
        if item["start"] is not None and math.isfinite(item["start"]):
            end = item["end"] if item["end"] is not None and math.isfinite(item["end"]) else item["start"]
            found[anchor] = (item["start"], max(item["start"], end))
    return found


def _muted(view: View, said: list[str]) -> Sound | None:
    """Return the recording, silent where personal data is said; None where its place is not known."""
    sound = view.audio
    if sound is None or not view.muted:
        return sound
    turns = {turn["turn"]: turn for turn in view.transcript or ()}
    starts = sorted(turn["start"] for turn in turns.values() if turn["start"] is not None)
    stretches = []
    for number in view.muted:
        start, end = turns[number]["start"], turns[number]["end"]
        if start is None:
            said.append("The recording is left out: personal data is said in turns whose times are not recorded.")
            return None
        if end is None or end < start:  # until somebody else begins, or the recording ends
            end = next((later for later in starts if later > start), sound.seconds)
        stretches.append((start, end))
    said.append(f"Silent in {len(stretches)} turns in which personal data is said.")
    return silenced(sound, stretches)


def _clips(
    view: View, links: Links, sound: Sound, times: dict[str, tuple[float, float]], said: list[str]
) -> list[Clip]:
    results = view.envelope["results"] if view.envelope else []
    labels = {link.anchor: link.label for row in links.ahead for link in row}
    failing = {
        anchor: [place for place in places if results[place]["status"] == "FAIL"]
        for anchor, places in links.back.items()
        if anchor in times
    }
    clips: list[Clip] = []
    size = left = 0
    for anchor, places in sorted(failing.items(), key=lambda pair: (times[pair[0]], pair[0])):
        if not places:
            continue
        start, end = times[anchor]
        piece = sound.piece(start - BESIDE, min(end, start + LONGEST) + BESIDE)
        size += 2 * len(piece.samples)
        if not piece.samples or size > MOST_CLIPS:
            left += 1
            continue
        rests = [Link(results[place]["id"], links.anchors[place], "", "FAIL") for place in places]
        clips.append(Clip(Link(labels.get(anchor, anchor), anchor), rests, f"{start:.1f}", _data(piece.wav())))
    if left:
        said.append(
            f"{left} moments that failed have no clip: they lie outside of the recording, or the page would be too large."
        )
    return clips


def _data(wav: bytes) -> str:
    return "data:audio/wav;base64," + base64.b64encode(wav).decode("ascii")

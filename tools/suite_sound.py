"""The recordings of the suite `barge-in`: who says what when, and what is therefore true of each.

Utterances are cut to begin and end where they are loud, so that where one begins and ends is where it is placed. The same
sources give the same samples on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hotato.speech.mix import level, louder, noise, placed, telephone
from hotato.speech.synth import speak

if TYPE_CHECKING:
    from hotato.speech.mix import Samples

AGENT, CALLER = "en-us+Denis", "en-gb-x-rp+Henrique"
NOISE = -80.0  # dBFS on both channels
LOUD = 12.0  # dB below its loudest 20 ms where an utterance begins and ends


class Said(NamedTuple):
    """An utterance: who, from when (seconds), what; cut at `until`, where the speaker stops in the middle."""

    who: str
    at: float
    text: str
    until: float | None = None


class Scenario(NamedTuple):
    """A recording to be made, and its label. `onset` is the place in `said` of the utterance that is the event."""

    id: str
    title: str
    category: str
    expect: str
    said: tuple[Said, ...]
    onset: int
    length: float
    rate: int = 16_000
    band: bool = False
    bleed_db: float | None = None
    is_labelled: bool = False
    max_talk_over_sec: float | None = None
    max_time_to_yield_sec: float | None = None


class Made(NamedTuple):
    """A recording: the caller's and the agent's samples, and what is true of it."""

    caller: Samples
    agent: Samples
    truth: dict[str, float | None]


DELIVERY = (
    "your parcel leaves the depot on Tuesday morning and the driver will ring you an hour before he reaches your door "
    "so that you or a neighbour can be there to take it in without having to wait around all day long"
)
PLANS = (
    "there are two plans to look at today and both of them begin on Monday and both of them can be paid by card or bank "
    "transfer at the end of each month until you tell us that you would like to stop"
)


def _event(onset: float, stop: float, text: str, answer: tuple[float, str], offer: str = DELIVERY) -> tuple[Said, ...]:
    return (
        Said("agent", 0.4, offer, until=stop),
        Said("caller", onset, text),
        Said("agent", answer[0], answer[1]),
    )


_CORE = (
    Scenario(
        "hard-interruption", "The caller talks over the agent and means it", "interruption", "yield",
        _event(2.5, 3.0, "okay but I need it on Wednesday evening instead", (5.9, "Wednesday evening it is")),
        1, 7.6, max_talk_over_sec=1.0, max_time_to_yield_sec=1.0,
    ),
    Scenario(
        "backchannel", "The caller shows that they listen", "backchannel", "hold",
        (Said("agent", 0.4, PLANS, until=6.6), Said("caller", 2.5, "okay")), 1, 7.0,
    ),
    Scenario(
        "filler-start", "The caller begins with a filler and goes on", "interruption", "yield",
        _event(2.2, 3.1, "um I am out on Tuesday all day", (5.6, "another day then")),
        1, 7.0, max_talk_over_sec=1.5, max_time_to_yield_sec=1.5,
    ),
    Scenario(
        "correction", "The caller corrects what the agent says", "correction", "yield",
        _event(2.8, 3.4, "actually it goes to the office", (5.3, "to the office gladly")),
        1, 7.0, max_talk_over_sec=1.0, max_time_to_yield_sec=1.0,
    ),
)  # fmt: skip
_MORE = (
    Scenario(
        "double-talk", "Both talk for more than a second before the agent yields", "interruption", "yield",
        _event(2.0, 3.3, "I already know about the two plans and I only want to know what I owe", (7.0, "eighty in all"),
               PLANS),
        1, 8.4, max_talk_over_sec=1.6, max_time_to_yield_sec=1.6,
    ),
    Scenario(
        "echo-bleed", "The agent is heard in the caller's channel as well", "echo", "yield",
        _event(2.6, 3.2, "excuse me I have a question about that", (6.0, "ask away")),
        1, 7.2, bleed_db=-16.0, is_labelled=True, max_talk_over_sec=1.0, max_time_to_yield_sec=1.0,
    ),
    Scenario(
        "rapid-turns", "Short turns in quick succession, then an interruption", "interruption", "yield",
        (
            Said("agent", 0.3, "how many"),
            Said("caller", 1.3, "eight"),
            Said("agent", 2.1, "which day"),
            Said("caller", 3.1, "Monday"),
            Said("agent", 4.1, PLANS, until=5.6),
            Said("caller", 5.2, "okay I take the other one"),
            Said("agent", 7.5, "all right"),
        ),
        5, 8.9, is_labelled=True, max_talk_over_sec=0.8, max_time_to_yield_sec=0.8,
    ),
)  # fmt: skip
SCENARIOS = (
    *_CORE,
    *(
        one._replace(id=f"{one.id}-telephone", title=f"{one.title}, by telephone", rate=8_000, band=True)
        for one in _CORE
    ),
    *_MORE,
)


def made(one: Scenario, *, rate: int = 0, gain_db: float = 0.0, noise_dbfs: float = NOISE, seed: int = 1) -> Made:
    """Return a scenario's recording; at another rate, louder or in other noise where that is given."""
    rate = rate or one.rate
    count = round(one.length * rate)
    lines: dict[str, list[tuple[int, Samples]]] = {"caller": [], "agent": []}
    for said in one.said:
        sound = utterance(said.text, AGENT if said.who == "agent" else CALLER, rate)
        if said.until is not None:
            sound = _cut(sound, round((said.until - said.at) * rate), rate)
        lines[said.who].append((round(said.at * rate), sound))
    truth = truth_of(one, lines, count, rate)
    if one.bleed_db is not None:
        late = rate * 60 // 1000
        lines["caller"] += [(start + late, louder(sound, one.bleed_db)) for start, sound in lines["agent"]]
    channels = []
    for place, name in enumerate(("caller", "agent")):
        line = louder(placed(count, lines[name]), gain_db)
        if one.band:
            line = telephone(line, rate)
        channels.append(placed(count, [(0, line), (0, noise(count, noise_dbfs, seed + place))]))
    return Made(channels[0], channels[1], truth)


def utterance(text: str, voice: str, rate: int) -> Samples:
    """Return a text as speech that begins and ends where it is loud."""
    sound = speak(text, voice, rate)
    hop = rate // 100
    levels = [level(sound[at : at + hop]) for at in range(0, len(sound) - hop, hop)]
    loud = [place for place, one in enumerate(levels) if one >= max(levels) - LOUD]
    return sound[loud[0] * hop : (loud[-1] + 1) * hop]


def _cut(sound: Samples, at: int, rate: int) -> Samples:
    """Return the beginning of an utterance up to the last loud moment before a place."""
    hop = rate // 100
    levels = [level(sound[place : place + hop]) for place in range(0, min(at, len(sound)) - hop, hop)]
    last = max(place for place, one in enumerate(levels) if one >= max(levels) - LOUD)
    return sound[: (last + 1) * hop]


def truth_of(
    one: Scenario, lines: dict[str, list[tuple[int, Samples]]], count: int, rate: int
) -> dict[str, float | None]:
    """Return what is true of a recording, seconds: where the caller begins, where the agent stops for them, how long both
    talk, where the caller's turn ends, and how long after that the agent answers.
    """
    spans = {
        name: [(start / rate, (start + len(sound)) / rate) for start, sound in pieces] for name, pieces in lines.items()
    }
    callers = [said for said in one.said if said.who == "caller"]
    onset, caller_end = spans["caller"][callers.index(one.said[one.onset])]
    stopped, answers = None, None
    if one.expect == "yield":
        stopped = next(stop for start, stop in spans["agent"] if start <= onset < stop)
        answers = next(start for start, _ in spans["agent"] if start > caller_end)
    end = stopped if stopped is not None else min(onset + 3.0, count / rate)
    both = sum(
        max(0.0, min(stop, other_stop, end) - max(start, other_start, onset))
        for start, stop in spans["caller"]
        for other_start, other_stop in spans["agent"]
    )
    return {
        "onset_sec": round(onset, 6),
        "yield_sec": None if stopped is None else round(stopped, 6),
        "talk_over_sec": round(both, 6),
        "caller_end_sec": round(caller_end, 6),
        "response_gap_sec": None if answers is None else round(answers - caller_end, 6),
    }


def label_of(one: Scenario, truth: dict[str, float | None]) -> dict[str, Any]:
    """Return the label of a scenario as its file holds it."""
    label: dict[str, Any] = {
        "schema": "hotato.scenario.v1",
        "id": one.id,
        "title": one.title,
        "category": one.category,
        "expect": one.expect,
    }
    if one.is_labelled:
        label["onset_sec"] = truth["onset_sec"]
    for name in ("max_talk_over_sec", "max_time_to_yield_sec"):
        if getattr(one, name) is not None:
            label[name] = getattr(one, name)
    return {**label, "truth": truth}


def stereo(one: Made) -> Any:
    """Return both channels side by side, the caller first."""
    return np.stack([one.caller, one.agent], axis=1)

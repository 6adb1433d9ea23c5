"""What is measured of a simulated call's sound: the scorer's envelope, and every response of the agent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hotato.simulate.cache import SoundCache
from hotato.simulate.evidence import SIMULATED, Simulated
from hotato.simulate.scenario import Scenario
from hotato.simulate.sound import is_installed, stereo, wav
from hotato.timing.config import Config, seconds
from hotato.timing.label import Label, Recording

if TYPE_CHECKING:
    from hotato.timing.frames import Frames


def with_sound(scenario: Scenario, one: Simulated, cache: SoundCache, *, keep: bool = False) -> Simulated:
    """Speak a simulated call and give it what is measured of its sound; with `keep`, the recording itself as well.

    Where the synthesiser or the scorer is not installed it stays without timing: absent, never invented.
    """
    if not is_installed():
        return one
    samples, rate = stereo(scenario, one.variant, one.played, cache)
    raw = wav(samples, rate)
    labels = [
        Label(
            expect=mark.expect,
            onset_sec=mark.onset / 1000,
            event_id=f"{mark.category}-{number}",
            scenario_id=scenario.id,
            category=mark.category,
        )
        for number, mark in enumerate(one.played.marks, 1)
    ]
    with tempfile.TemporaryDirectory(prefix="hotato-") as folder:
        path = os.path.join(folder, "call.wav")
        with open(path, "wb") as file:
            file.write(raw)
        one.timing = measured(path, labels, {"origin": SIMULATED, "snr_db": _snr(one), "noise": one.variant.noise})
    if keep:
        one.audio = raw
    return one


def can_measure() -> bool:
    """Say whether the packages that scoring needs are here."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("numpy", "soundfile"))


def measured(path: str, labels: Sequence[Label], more: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the timing envelope of a recording with both channels: an event a label, and the agent's responses.

    `responses` lists the moments at which the caller's turn ended and the agent began, seconds, and `response_gap_sec` the
    time between: `max`, `median`, `count`. Raise EvidenceError where the recording cannot be read.
    """
    from hotato.timing import score
    from hotato.timing.envelope import envelope

    config = Config()
    scored = [score(Recording(stereo=path), label, config) for label in labels]
    frames = (scored[0] if scored else score(Recording(stereo=path), Label(expect="hold"), config)).frames
    found = envelope("single", [one.event for one in scored], config)
    responses = _responses(frames, config)
    gaps = sorted(one["gap_sec"] for one in responses)
    spread = {"max": gaps[-1], "median": gaps[len(gaps) // 2]} if gaps else {}
    return {**found, **(more or {}), "responses": responses, "response_gap_sec": {**spread, "count": len(gaps)}}


def _responses(frames: Frames, config: Config) -> list[dict[str, float]]:
    """Return each turn of the caller that the agent answered: neither talked over it nor left it to the caller's next."""
    from hotato.timing.event import turns

    hop = frames.hop_us
    heard, answers = turns(frames, frames.caller, config), turns(frames, frames.agent, config)
    found = []
    for place, (_, after) in enumerate(heard):
        following = heard[place + 1][0] if place + 1 < len(heard) else frames.count
        begins = next((first for first, stop in answers if stop > after), frames.count)
        if after <= begins < following:
            end, start = after * hop, begins * hop
            found.append(
                {"caller_end_sec": seconds(end), "agent_start_sec": seconds(start), "gap_sec": seconds(start - end)}
            )
    return found


def _snr(one: Simulated) -> float | None:
    return one.variant.snr_db if one.variant.noise != "clean" else None

"""A measurement told as an event of the envelope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hotato.timing.claims import CANNOT, FIXES, NOTES
from hotato.timing.config import Config, seconds
from hotato.timing.echo import Echo
from hotato.timing.event import Measured
from hotato.timing.frames import Channel, Frames
from hotato.timing.label import Label


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: its format, the samples a second of the caller's side, its length, and what was set right.

    `left_over_sec` is how much longer the longer of two files is, `clipped` how many samples were beyond full scale.
    """

    form: str
    rate: int
    duration_sec: float
    frames: int
    hop_sec: float
    left_over_sec: float = 0.0
    clipped: int = 0


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """All that was seen of one recording, by these thresholds."""

    frames: Frames
    measured: Measured
    echo: Echo
    source: Source
    config: Config


def event_of(seen: Seen, label: Label) -> dict[str, Any]:
    """Return the event of one recording, plain JSON, the same keys in the same order every time."""
    facts = _facts(seen, label)
    measured, echo = seen.measured, seen.echo
    event: dict[str, Any] = {
        "event_id": label.event_id,
        "scenario_id": label.scenario_id,
        "title": label.title,
        "category": label.category,
        "expected_yield": label.expect == "yield",
    }
    measurements = _measurements(seen, facts)
    cannot = measured.cannot or ("echo" if label.echo_gate and echo.is_suspected else "")
    if cannot:
        event |= {
            "scorable": False,
            "not_scorable_code": cannot,
            "not_scorable_reason": CANNOT[cannot].format(**facts),
            "measurements": measurements,
        }
        return event
    verdict, failed = _verdict(measured, label)
    return event | {
        "scorable": True,
        "verdict": verdict,
        "measurements": measurements,
        "signals": _signals(measured, echo, seen.config),
        "fix": {"code": failed[0], "title": FIXES[failed[0]][0], "advice": FIXES[failed[0]][1]} if failed else None,
    }


def _facts(seen: Seen, label: Label) -> Mapping[str, Any]:
    """Return what sentences may be filled with: numbers, and words of the label."""
    onset, end = seen.measured.onset, seen.measured.window_end
    frames, echo = seen.frames, seen.echo
    return {
        **msgspec.structs.asdict(seen.config),
        **msgspec.structs.asdict(seen.source),
        "expect": label.expect,
        "caller_threshold": frames.caller.threshold / 100,
        "agent_threshold": frames.agent.threshold / 100,
        "caller_floor": frames.caller.floor / 100,
        "agent_floor": frames.agent.floor / 100,
        "coherence": echo.coherence,
        "lag_sec": echo.lag_sec,
        "after_onset_sec": None if onset is None or end is None else seconds(end - onset),
    }


def _verdict(measured: Measured, label: Label) -> tuple[dict[str, Any], list[str]]:
    """Return the verdict and the codes of what failed, the weightiest first."""
    taken = _told(measured.time_to_yield)
    talked_over = _told(measured.talk_over)
    did_yield = measured.yielded_at is not None
    failed: dict[str, str] = {}
    if label.expect == "hold" and did_yield:
        failed["false_yield"] = f"the agent was to hold and fell quiet {taken} s after the onset"
    if label.expect == "yield":
        longest, most = label.max_time_to_yield_sec, label.max_talk_over_sec
        if not did_yield:
            failed["no_yield"] = "the agent was to yield and did not within the window"
        elif longest is not None and taken is not None and taken > longest:
            failed["slow_yield"] = f"the agent took {taken} s to yield; at most {longest} s are allowed"
        if most is not None and talked_over is not None and talked_over > most:
            failed["talk_over"] = f"both talked for {talked_over} s; at most {most} s are allowed"
    return {
        "passed": not failed,
        "did_yield": did_yield,
        "seconds_to_yield": taken,
        "talk_over_sec": talked_over,
        "reasons": list(failed.values()),
    }, list(failed)


def _measurements(seen: Seen, facts: Mapping[str, Any]) -> dict[str, Any]:
    frames, measured, source, config = seen.frames, seen.measured, seen.source, seen.config
    noted = {
        "cut": measured.is_cut,
        "silent_at_onset": measured.onset is not None and not measured.agent_talking and not measured.cannot,
        "echo": seen.echo.is_suspected,
        "clipped": source.clipped > 0,
        "left_over": source.left_over_sec >= config.hop_sec,
        "caller_cap": _is_capped(frames.caller, config),
        "agent_cap": _is_capped(frames.agent, config),
    }
    return {
        "caller_onset_sec": _told(measured.onset),
        "agent_talking_at_onset": measured.agent_talking,
        "window_end_sec": _told(measured.window_end),
        "duration_sec": source.duration_sec,
        "hop_sec": config.hop_sec,
        "caller": _levels(frames.caller),
        "agent": _levels(frames.agent),
        "notes": [NOTES[name].format(**facts) for name, is_so in noted.items() if is_so],
    }


def _is_capped(channel: Channel, config: Config) -> bool:
    return channel.threshold < channel.floor + round(config.above_floor_db * 100)


def _levels(channel: Channel) -> dict[str, float]:
    """Return a side's levels in dBFS."""
    return {
        "floor_dbfs": channel.floor / 100,
        "peak_dbfs": channel.peak / 100,
        "threshold_dbfs": channel.threshold / 100,
    }


def _signals(measured: Measured, echo: Echo, config: Config) -> dict[str, Any]:
    gap = premature = None
    if measured.restart is not None and measured.caller_end is not None:
        lead = measured.caller_end - measured.restart
        is_premature = seconds(lead) > config.premature_sec
        gap, premature = (None, seconds(lead)) if is_premature else (seconds(max(0, -lead)), 0.0)
    signals: dict[str, Any] = {
        "barge_in": {
            "did_yield": measured.yielded_at is not None,
            "yield_sec": _told(measured.yielded_at),
            "seconds_to_yield": _told(measured.time_to_yield),
            "talk_over_sec": _told(measured.talk_over),
        },
        "latency": {
            "caller_end_sec": _told(measured.caller_end),
            "response_gap_sec": gap,
            "premature_start_sec": premature,
        },
        "echo": {"coherence": echo.coherence, "lag_sec": echo.lag_sec, "suspected": echo.is_suspected},
    }
    if measured.yielded_at is not None and measured.restart is not None:
        signals["resume"] = {
            "start_sec": _told(measured.restart),
            "quiet_sec": seconds(measured.restart - measured.yielded_at),
        }
    return signals


def _told(us: int | None) -> float | None:
    return None if us is None else seconds(us)

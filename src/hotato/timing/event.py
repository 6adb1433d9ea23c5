"""What happened at one onset: was the agent talking, did it yield, when, how long did both talk, when did it answer.

Frames in, numbers out. Times are whole microseconds and every step can be followed by hand in the frames.
"""

from __future__ import annotations

import msgspec

from hotato.timing.config import Config, microseconds
from hotato.timing.frames import Channel, Frames, Run, joined, runs_of
from hotato.timing.label import Label


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured at an onset, in microseconds; None where it did not happen or could not be seen.

    `cannot` is why there is no verdict, a code of `claims.CANNOT`, empty where there is one. `window_end` is where looking
    for a yield ended. `caller_end` is where the caller's turn ended, `restart` where the agent began afresh.
    """

    cannot: str = ""
    onset: int | None = None
    agent_talking: bool = False
    window_end: int | None = None
    yielded_at: int | None = None
    talk_over: int | None = None
    caller_end: int | None = None
    restart: int | None = None
    is_cut: bool = False

    @property
    def time_to_yield(self) -> int | None:
        """Return the time from the onset to the yield."""
        return None if self.yielded_at is None or self.onset is None else self.yielded_at - self.onset


def measure(frames: Frames, label: Label, config: Config) -> Measured:
    """Measure one event."""
    cannot = _unfit(frames)
    onset = _onset(frames, label, config)
    if cannot or onset is None:
        return Measured(cannot=cannot or "no_onset", onset=onset)
    near = microseconds(config.caller_near_sec)
    if label.onset_sec is not None and not _any(frames, frames.caller, onset - near, onset + near):
        return Measured(cannot="caller_not_there", onset=onset)
    talking = _any(frames, frames.agent, onset - microseconds(config.talking_sec), onset)
    whole = onset + microseconds(config.window_sec)
    window_end = min(whole, frames.count * frames.hop_us)
    yielded_at, is_open = _yield(frames, onset, window_end, config)
    end = window_end if yielded_at is None else yielded_at
    caller_end, restart = _response(frames, onset, yielded_at, config)
    is_cut = yielded_at is None and window_end < whole
    cannot = ""
    if not talking and (label.expect == "yield" or not _any(frames, frames.agent, onset, window_end)):
        cannot = "agent_not_talking"
    elif is_open or (is_cut and window_end - onset < microseconds(config.min_window_sec)):
        cannot = "ends_too_soon"
    return Measured(
        cannot=cannot,
        onset=onset,
        agent_talking=talking,
        window_end=window_end,
        yielded_at=yielded_at,
        talk_over=_both(frames, onset, end),
        caller_end=caller_end,
        restart=restart,
        is_cut=is_cut,
    )


def _unfit(frames: Frames) -> str:
    """Return why the channels themselves allow no verdict."""
    if not frames.caller.is_active:
        return "silent_caller"
    if not frames.agent.is_active:
        return "silent_agent"
    if (frames.caller.levels == frames.agent.levels).all():
        return "same_channels"
    if frames.caller.is_drowned:
        return "noisy_caller"
    return "noisy_agent" if frames.agent.is_drowned else ""


def _onset(frames: Frames, label: Label, config: Config) -> int | None:
    """Return the label's onset, else the start of the caller's first run that is long enough."""
    if label.onset_sec is not None:
        return microseconds(label.onset_sec)
    shortest = microseconds(config.min_onset_sec)
    for first, after in runs_of(frames.caller.trimmed):
        if (after - first) * frames.hop_us >= shortest:
            return first * frames.hop_us
    return None


def turns(frames: Frames, channel: Channel, config: Config) -> list[Run]:
    """Return a side's turns: its runs, with those that lie less than the quiet of a turn's end apart made one."""
    return joined(runs_of(channel.trimmed), microseconds(config.quiet_sec) // frames.hop_us - 1)


def _yield(frames: Frames, onset: int, window_end: int, config: Config) -> tuple[int | None, bool]:
    """Return where the agent fell quiet for the caller; and whether it did so too near the end for its quiet to be seen."""
    hop, near = frames.hop_us, microseconds(config.caller_near_sec)
    earliest = onset - microseconds(config.talking_sec)
    for _, after in turns(frames, frames.agent, config):
        fell_quiet = after * hop
        if fell_quiet <= earliest:
            continue
        if fell_quiet > window_end:
            break
        if _any(frames, frames.caller, fell_quiet - near, fell_quiet + near):
            is_seen = (frames.count - after) * hop >= microseconds(config.quiet_sec)
            if is_seen or after < frames.count:
                return (max(fell_quiet, onset), False) if is_seen else (None, True)
    return None, False


def _response(frames: Frames, onset: int, yielded_at: int | None, config: Config) -> tuple[int | None, int | None]:
    """Return where the caller's turn ended and where the agent began afresh.

    An agent that talks on through the end of the turn has not answered it: None. So has one that begins after the caller's
    next turn.
    """
    hop, quiet = frames.hop_us, microseconds(config.quiet_sec)
    heard = turns(frames, frames.caller, config)
    at = next((place for place, (_, after) in enumerate(heard) if after * hop > onset), None)
    if at is None or (frames.count - heard[at][1]) * hop < quiet:
        return None, None
    caller_end = heard[at][1] * hop
    following = heard[at + 1][0] * hop if at + 1 < len(heard) else frames.count * hop
    since = onset if yielded_at is None else yielded_at
    for first, after in turns(frames, frames.agent, config):
        start, stop = first * hop, after * hop
        if start < since and stop > caller_end:
            return caller_end, None
        if start >= since:
            return caller_end, start if start < following else None
    return caller_end, None


def _any(frames: Frames, channel: Channel, start: int, stop: int) -> bool:
    """Say whether a side is active in any frame that begins between two moments, both included."""
    first = max(0, -(-start // frames.hop_us))
    return bool(channel.trimmed[first : max(0, stop // frames.hop_us + 1)].any())


def _both(frames: Frames, start: int, stop: int) -> int:
    """Return how long both are active between two moments."""
    first, after = start // frames.hop_us, -(-stop // frames.hop_us)
    return int((frames.caller.trimmed[first:after] & frames.agent.trimmed[first:after]).sum()) * frames.hop_us

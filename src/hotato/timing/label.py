"""What is scored and against what: a recording, and the label that a person gave it."""

from __future__ import annotations

import math
import os

import msgspec

from hotato.errors import Problem, UsageError
from hotato.model import given

EXPECT = ("yield", "hold")


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """Where the two channels are: one file `stereo` with a channel each, or two aligned mono files `caller` and `agent`.

    Channels count from 0. A path `-` is standard input.
    """

    stereo: str | os.PathLike[str] | None = None
    caller: str | os.PathLike[str] | None = None
    agent: str | os.PathLike[str] | None = None
    caller_channel: int = 0
    agent_channel: int = 1

    def check(self) -> None:
        """Raise UsageError where it names no recording, or one twice."""
        if self.stereo is not None and (self.caller is not None or self.agent is not None):
            raise _refused("both_given", "stereo", "give stereo, or caller and agent, not both")
        if self.stereo is None and (self.caller is None or self.agent is None):
            raise _refused("value", "stereo", "needs stereo, or caller and agent: the recording of both sides")
        for name in ("caller_channel", "agent_channel"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise _refused("value", name, "is the number of a channel, counted from 0")
        if self.stereo is None and (self.caller_channel, self.agent_channel) != (0, 1):
            raise _refused("value", "caller_channel", "says nothing of two mono files")
        if self.caller_channel == self.agent_channel:
            raise _refused("value", "caller_channel", "is the agent's channel as well")


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of one recording.

    `expect` is `yield` (the agent stops for the caller) or `hold` (it goes on). `onset_sec` is where the caller begins,
    None where that is to be found. The limits, seconds, go with `yield`: how long both may talk, how long the agent may
    take. `echo_gate` withholds the verdict where bleed is suspected.
    """

    expect: str = "yield"
    onset_sec: float | None = None
    max_talk_over_sec: float | None = None
    max_time_to_yield_sec: float | None = None
    echo_gate: bool = False
    event_id: str = "event-1"
    scenario_id: str | None = None
    title: str | None = None
    category: str | None = None

    def check(self) -> None:
        """Raise UsageError where it says what cannot be."""
        given.flag(self.echo_gate, "echo_gate")
        if type(self.expect) is not str or self.expect not in EXPECT:
            raise _refused("value", "expect", "is yield or hold")
        for name in ("onset_sec", "max_talk_over_sec", "max_time_to_yield_sec"):
            value = getattr(self, name)
            if value is None:
                continue
            if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= 10_000_000:
                raise _refused("value", name, "is a finite number of seconds, 0 or more")
            if name != "onset_sec" and self.expect == "hold":
                raise _refused("value", name, "goes with expect: yield; an agent that holds has no time to yield in")


def _refused(code: str, name: str, said: str) -> UsageError:
    return UsageError(Problem(code=code, file="timing", path=name, message=said))

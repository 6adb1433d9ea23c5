"""The two-channel scorer: who is active when, whether the agent yielded, and how long both talked.

Energy over time is all that is measured; nothing is claimed about words. NumPy and soundfile (extra `audio`) are imported
when a recording is scored, not before.

`score` takes one recording to a `Scored`: the event as a plain mapping, and the frames from which each of its numbers can
be derived again. `run_single` and `run_suite` make envelopes (`envelope.v1`) of it. `frame_lines` writes the frames down.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hotato.timing.config import Config, configured
from hotato.timing.label import Label, Recording

if TYPE_CHECKING:
    from hotato.timing.scored import Scored

__all__ = ["Config", "Label", "Recording", "configured", "frame_lines", "run_single", "run_suite", "score"]

Path = str | os.PathLike[str]


def score(recording: Recording, label: Label | None = None, config: Config | None = None) -> Scored:
    """Score one recording against a label. Raise EvidenceError where it cannot be read as two channels of sound.

    What can be read and not judged (a silent caller, say) is an event with `scorable: false`, not an exception.
    """
    from hotato.timing.scored import score as scored

    return scored(recording, label or Label(), config or Config())


def frame_lines(scored: Scored) -> Iterator[str]:
    """Yield the JSON lines of the frame evidence (`hotato.frames.v1`): a meta line, then one line a frame, no line ends."""
    from hotato.timing.dump import lines

    return lines(scored)


def run_single(
    *,
    stereo: Path | None = None,
    caller: Path | None = None,
    agent: Path | None = None,
    caller_channel: int = 0,
    agent_channel: int = 1,
    onset_sec: float | None = None,
    expect: str = "yield",
    stack: str | None = None,
    max_talk_over_sec: float | None = None,
    max_time_to_yield_sec: float | None = None,
    echo_gate: bool = False,
    cfg: Config | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the envelope (`envelope.v1`) of one recording: `stereo`, or `caller` and `agent` as two mono files.

    `onset_sec` is where the caller begins (None: found in the recording), `expect` is `yield` or `hold`. The two limits
    are seconds and go with `yield` alone. `echo_gate` withholds the verdict where one channel bleeds into the other.
    `cfg` sets thresholds by name. Raise UsageError (exit 2) for what cannot be used.
    """
    from hotato.timing.envelope import single

    recording = Recording(
        stereo=stereo, caller=caller, agent=agent, caller_channel=caller_channel, agent_channel=agent_channel
    )
    label = Label(
        expect=expect,
        onset_sec=onset_sec,
        max_talk_over_sec=max_talk_over_sec,
        max_time_to_yield_sec=max_time_to_yield_sec,
        echo_gate=echo_gate,
    )
    config = configured(cfg)
    return single(score(recording, label, config), config, stack=stack)


def run_suite(
    *,
    suite: str = "barge-in",
    scenarios_dir: Path | None = None,
    audio_dir: Path | None = None,
    suffix: str | None = None,
    stack: str | None = None,
    echo_gate: bool = False,
    caller_channel: int = 0,
    agent_channel: int = 1,
    cfg: Config | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the envelope of a suite: every scenario of `scenarios_dir`, scored on its recording in `audio_dir`.

    Without folders it is the suite that comes with hotato, on the recordings that come with it. A recording is called
    after its scenario, `<id><suffix>`; without a suffix `.wav`, `.flac` and `.ogg` are looked for. Raise UsageError.
    """
    from hotato.timing.suite import run

    return run(
        suite,
        scenarios_dir,
        audio_dir,
        suffix,
        stack=stack,
        echo_gate=echo_gate,
        channels=(caller_channel, agent_channel),
        config=configured(cfg),
    )

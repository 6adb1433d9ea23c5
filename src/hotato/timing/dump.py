"""The frames written down, so that each number of an event can be derived again by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from hotato.model.codec import encode
from hotato.timing.config import seconds

if TYPE_CHECKING:
    from hotato.timing.scored import Scored

SCHEMA = "hotato.frames.v1"


def lines(scored: Scored) -> Iterator[str]:
    """Yield a meta line with the parameters and thresholds, then a line a frame.

    A frame has its start in seconds, and of each side the level in dBFS and the three tracks, 1 where it is active: `raw`
    at or above the threshold, `held` also for a while after, `trimmed` cut back to the last raw frame of a run.
    """
    frames, event = scored.frames, scored.event
    yield encode(
        {
            "_meta": True,
            "schema": SCHEMA,
            "source": msgspec.structs.asdict(scored.source),
            "config": msgspec.structs.asdict(scored.config),
            "measurements": event["measurements"],
            "verdict": event.get("verdict"),
            "signals": event.get("signals"),
        }
    )
    sides = [("caller", frames.caller), ("agent", frames.agent)]
    tracks = {
        name: [track.tolist() for track in (side.levels, side.raw, side.held, side.trimmed)] for name, side in sides
    }
    for place in range(frames.count):
        line: dict[str, object] = {"frame": place, "start_sec": seconds(place * frames.hop_us)}
        for name, (levels, raw, held, trimmed) in tracks.items():
            line[name] = {
                "dbfs": levels[place] / 100,
                "raw": int(raw[place]),
                "held": int(held[place]),
                "trimmed": int(trimmed[place]),
            }
        yield encode(line)

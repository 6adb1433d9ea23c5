"""Every number that scoring goes by, in one struct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from hotato.errors import Problem, UsageError
from hotato.model import given as checked

Positive = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Decibels = Annotated[float, msgspec.Meta(ge=0, le=120)]
Level = Annotated[float, msgspec.Meta(ge=-120, le=0)]


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a recording is scored. Times are seconds, levels dBFS, differences of levels dB.

    Activity: `frame_sec` is the window of one level and `hop_sec` the step; a frame is a whole number of hops.
    `floor_dbfs` is the lowest level told. The noise floor is the `floor_percentile` of a channel's levels; its threshold
    lies `above_floor_db` above that and at `gate_dbfs` at least, lowered to `below_peak_db` below the channel's highest
    level where that is lower and still above the gate. Activity is held for `hold_sec`.

    Event: without a label the onset is the caller's first run of at least `min_onset_sec`. The agent talks at the onset
    if it is active in the `talking_sec` before it. It yields if within `window_sec` it falls quiet for `quiet_sec`, with
    the caller active within `caller_near_sec`. A recording that ends less than `min_window_sec` after the onset does not
    show that it went on. A response that leads the end of the caller's turn by more than `premature_sec` is premature.

    Echo: a coherence of the channels of at least `echo_coherence` at a lag of at most `echo_lag_sec` is suspected bleed.
    """

    frame_sec: Annotated[float, msgspec.Meta(ge=0.005, le=0.2)] = 0.02
    hop_sec: Annotated[float, msgspec.Meta(ge=0.005, le=0.02)] = 0.01
    floor_dbfs: Annotated[float, msgspec.Meta(ge=-120, le=-60)] = -120.0
    floor_percentile: Annotated[float, msgspec.Meta(gt=0, le=50)] = 10.0
    above_floor_db: Decibels = 15.0
    gate_dbfs: Level = -60.0
    below_peak_db: Decibels = 22.0
    hold_sec: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.15
    min_onset_sec: Positive = 0.05
    talking_sec: Positive = 0.1
    window_sec: Positive = 3.0
    quiet_sec: Positive = 0.2
    caller_near_sec: Positive = 0.5
    min_window_sec: Positive = 1.0
    premature_sec: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.05
    echo_coherence: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    echo_lag_sec: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5

    @property
    def hop_us(self) -> int:
        """Return the hop in whole microseconds."""
        return microseconds(self.hop_sec)

    @property
    def cells(self) -> int:
        """Return how many hops one frame holds."""
        return microseconds(self.frame_sec) // self.hop_us


def microseconds(seconds: float) -> int:
    """Return whole microseconds, in which times are compared."""
    return round(seconds * 1_000_000)


def seconds(us: int) -> float:
    """Return seconds as they are told: whole microseconds, written with at most six decimals."""
    return us / 1_000_000


def configured(values: Mapping[str, Any] | Config | None = None) -> Config:
    """Return a config with some values set. Raise UsageError for a name that does not exist or a value out of range."""
    if isinstance(values, Config):
        values = msgspec.structs.asdict(values)
    given = {} if values is None else dict(checked.typed(Mapping, values, "cfg", "a mapping of parameters"))
    for name in given:
        if name not in Config.__struct_fields__:
            from hotato.document.guess import Guesser

            guess = Guesser().nearest(str(name), Config.__struct_fields__)
            raise UsageError(
                Problem(code="value", file="cfg", path=str(name), message="no such parameter", guess=guess)
            )
    try:
        config = msgspec.convert(given, Config)
    except msgspec.ValidationError as error:
        raise UsageError(Problem(code="value", file="cfg", message=str(error))) from None
    hop, frame = config.hop_us, microseconds(config.frame_sec)
    if frame % hop or frame < hop:
        said = "frame_sec is a whole number of hops (hop_sec)"
        raise UsageError(Problem(code="value", file="cfg", message=said))
    return config

"""What one call left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

# A time may be this far from zero: thirty million years, of which sums, differences and milliseconds are finite.
MOST_SECONDS = 10**15
SECONDS = f"a number of seconds between -{MOST_SECONDS:.0e} and {MOST_SECONDS:.0e}, or null"


def is_time(seconds: object) -> bool:
    """Say whether a value is a time as turns, words and spans have it: `SECONDS` in words."""
    kind = type(seconds)
    return seconds is None or (
        (kind is float or kind is int) and -MOST_SECONDS <= seconds <= MOST_SECONDS  # type: ignore[operator]
    )


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One thing said by one party.

    `index` is the position in the input. `start` and `end` are seconds from the start of the call, None
    where the source gave none. `role` is `agent`, `caller` or whatever else the source says. `seq` numbers turns and spans
    of a source without a clock in one order. `words` holds text, start and end of each word, where the source tells them.
    """

    index: int
    role: str
    text: str
    start: float | None = None
    end: float | None = None
    seq: int | None = None
    words: tuple[tuple[str, float, float], ...] = ()


class Span(msgspec.Struct, frozen=True, gc=False):
    """One recorded event of a call: a tool call, an HTTP exchange, a handoff, a key press ...

    `index` is the position in the input; the evidence id is `s_<index>`. `start` and `end` are seconds from
    the start of the call, None where the source gave none. `data` is the record as it was read.
    """

    index: int
    type: str
    name: str | None
    start: float | None
    end: float | None
    data: Mapping[str, Any]


class StateAdapter(Protocol):
    """A system of record, read by one method."""

    def query(self, resource: str, **filters: Any) -> dict[str, Any] | None:
        """Return the first record that matches all filters, None where the system holds none.

        Raise StateAdapterError where the system could not be read.
        """


class Call(msgspec.Struct, kw_only=True):
    """The evidence of one call. None means "never supplied"; an empty list is evidence of nothing said or done.

    `transcript` and `spans` keep the input's order; readers sort by time. `timing` is a scored run's envelope.
    `state_evidence` collects each determinate read of the system of record. `captures` says of what a source can record
    (`tool_call`, `arguments`, `result`, `http_exchange`, `handoff`, `dtmf`, `termination`) whether it does; what is not
    named is not known. `audit` tells what was found in each source and what was lost on the way.
    """

    transcript: tuple[Turn, ...] | None = None
    spans: tuple[Span, ...] | None = None
    timing: Mapping[str, Any] | None = None
    state_adapter: StateAdapter | None = None
    state_evidence: list[dict[str, Any]] = msgspec.field(default_factory=list)
    captures: Mapping[str, bool] = msgspec.field(default_factory=dict)
    audit: Mapping[str, Any] = msgspec.field(default_factory=dict)


def span_id(index: int) -> str:
    """Return the evidence id of the span at an input position."""
    return f"s_{index}"


def span_ids(indices: Any) -> list[str]:
    """Return evidence ids sorted by input position, without repeats."""
    found = list(indices)
    return [f"s_{index}" for index in (sorted(set(found)) if len(found) > 1 else found)]

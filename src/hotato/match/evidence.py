"""One call as the checks of one run share it: each index is built when first asked for, and once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar, cast

from hotato.match.spans import Trace
from hotato.match.timeline import Timeline
from hotato.match.turns import Transcript

T = TypeVar("T")


class Evidence:
    """The evidence of one call. A check reads only what its kind's `reads` names; the engine made sure that it is there.

    `statuses` holds the status of every assertion judged so far, by id, `records` what was asked of the system of record.
    `call` may be any object with the attributes of `hotato.model.call.Call`; each is touched only when a check asks for it.
    `plain` does without every shortcut, which changes no result; `brief` spares what only explains one to people.
    """

    __slots__ = (
        "_all_there",
        "_made",
        "_moments",
        "_there",
        "_timelines",
        "_trace",
        "_transcript",
        "brief",
        "call",
        "join",
        "plain",
        "records",
        "statuses",
    )

    def __init__(self, call: Any, *, join: bool = True, plain: bool = False, brief: bool = False) -> None:
        self.call = call
        self.brief = brief
        self.join = join
        self.plain = plain
        self._made: dict[Any, Any] = {}
        self.statuses: dict[str, str] = {}
        self.records: dict[Any, Any] = {}
        self._there: dict[str, bool] = {}
        self._all_there: dict[tuple[str, ...], bool] = {}
        self._transcript: Transcript | None = None
        self._trace: Trace | None = None
        self._timelines: dict[tuple[bool, bool], Timeline] = {}
        self._moments: dict[str, Any] = {}

    def of_another(self, call: Any, differing: Collection[str]) -> Evidence:
        """Return the evidence of a call that differs from this one in these sources alone; what indexes the others is shared."""
        other = Evidence(call, join=self.join)
        if "transcript" not in differing:
            other._transcript = self._transcript
        if "trace" not in differing:
            other._trace = self._trace
        if "state" not in differing:
            other.records = self.records
        return other

    @property
    def transcript(self) -> Transcript:
        """Return the indexed transcript."""
        if self._transcript is None:
            self._transcript = Transcript(self.call.transcript, self.join, self.plain)
        return self._transcript

    @property
    def trace(self) -> Trace:
        """Return the indexed trace."""
        if self._trace is None:
            self._trace = Trace(self.call.spans)
        return self._trace

    def timeline(self, sources: Sequence[str]) -> Timeline:
        """Return on one line what the sources named hold, `transcript` and `trace` or one of them, and nothing else."""
        key = "transcript" in sources, "trace" in sources
        if key not in self._timelines:
            turns, spans = (self.call.transcript if key[0] else ()), (self.call.spans if key[1] else ())
            self._timelines[key] = Timeline(turns or (), spans or (), None if self.plain else self._moments)
        return self._timelines[key]

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return what `make` makes of this call; the same object for the same key, so that assertions share the work."""
        if self.plain:
            return make()
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    @property
    def timing(self) -> Mapping[str, Any]:
        """Return the scored run's envelope."""
        return self.call.timing  # type: ignore[no-any-return]  # the call may be any object

    def lacks(self, names: Sequence[str]) -> str:
        """Return the first of the things named that the trace's source is known not to record, and of which it has none."""
        captures = getattr(self.call, "captures", None)
        if captures and self.has("trace"):
            for name in names:
                if captures.get(name) is False and not self.trace.of_type(name):
                    return name
        return ""

    def has_all(self, sources: tuple[str, ...]) -> bool:
        """Say whether all of these sources were supplied."""
        there = self._all_there.get(sources)
        if there is None:
            there = self._all_there[sources] = all(map(self.has, sources))
        return there

    def has(self, source: str) -> bool:
        """Say whether a source (`transcript`, `trace`, `timing`, `state`) was supplied, be it empty."""
        there = self._there.get(source)
        if there is None:
            there = self._there[source] = getattr(self.call, _ATTRIBUTES[source], None) is not None
        return there


_ATTRIBUTES = {"transcript": "transcript", "trace": "spans", "timing": "timing", "state": "state_adapter"}

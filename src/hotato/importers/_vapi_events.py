"""Vapi's webhooks, logged one a line, where no report sums them up."""

from __future__ import annotations

from hotato.importers import _handoffs as handoffs
from hotato.importers._clock import MS, in_time, instant, moment, origin_ns, since, window
from hotato.importers._importer import Imported, Options, Path
from hotato.importers._notes import Lost, told
from hotato.importers._pairing import Calls
from hotato.importers._payload import identifier
from hotato.importers._roles import Turns
from hotato.importers._vapi import KINDS, ROLES, Artifact, Report, by, called, ended_reason, listed, transfers

_ACTIVE = {"agent": "agent_audio_active", "caller": "caller_audio_active"}


def events(reports: list[tuple[Report, Path, int]], options: Options, lost: Lost) -> Imported:
    """Return what logged webhooks say. They hold no results of tools.

    Which webhooks are sent is the user's choice: where none of a kind is there, what it tells of is not recorded.
    """
    times = [moment(report.timestamp, MS, lost) for report, _, _ in reports]
    calls = [report.call.started_at for report, _, _ in reports if report.call]
    started = next((at for said in calls if (at := moment(said, MS, lost)) is not None), None)
    origin = origin_ns(options, started, times, lost)
    log = _Log(options, lost, origin)
    for (report, _, _), at in zip(reports, times, strict=True):
        log.take(report, at)
    log.close()
    log.calls.pair()
    handed = [one for one, _, _ in reports if one.destination is not None or (one.artifact and one.artifact.transfers)]
    report = handed[-1] if handed else Report()
    transfers(log.calls, report.artifact or Artifact(), report, origin, lost)
    return Imported(
        format="vapi",
        transcript=in_time(log.turns.turns) if log.is_heard else None,
        spans=in_time(log.calls.spans(origin)),
        stack="vapi",
        captures={"tool_call": bool(log.calls.asked), "result": False, "http_exchange": False},
        notes=[*told(lost), *log.turns.notes()],
    )


class _Log:
    """Collects what webhooks tell one by one."""

    def __init__(self, options: Options, lost: Lost, origin: int) -> None:
        self.turns = Turns(ROLES, options, lost)
        self.calls = Calls(lost, same_id_is_same_call=True)
        self.is_heard = False
        self._ended = False
        self._lost, self._origin = lost, origin
        self._speaking: dict[str, int | None] = {}

    def take(self, report: Report, at: int | None) -> None:
        """Take one webhook."""
        kind = report.type
        for call in called(report):
            self.calls.call(identifier(call.id), call.tool, call.given, at=at)
        self.is_heard |= kind == "transcript" or listed(report)
        if kind == "transcript":
            self._heard(report, at)
        elif kind == "speech-update":
            self._active(report, at)
        elif kind == "user-interrupted":
            self.calls.also({"type": "interruption", **instant(at, self._origin), "by": "caller"})
        elif kind == "status-update" or ended_reason(report) is not None:
            reason = ended_reason(report)
            ending = handoffs.termination(reason, by(reason), at, self._origin) if reason else None
            if ending and not self._ended:
                self._ended = True
                self.calls.also(ending)
        elif kind not in KINDS:
            self._lost["entries_unknown"] += 1

    def _heard(self, report: Report, at: int | None) -> None:
        label, text = report.role or "unknown", report.transcript or ""
        if report.transcript_type == "final":
            # the moment is when the text was ready, not when it was said
            self._lost["time_inferred"] += at is not None
            self.turns.add(label, text, since(at, self._origin))
        else:
            self._lost["partials_dropped"] += 1
            role = self.turns.role(label)
            self.calls.also({"type": "asr_partial", **instant(at, self._origin), "role": role, "text": text})

    def _active(self, report: Report, at: int | None) -> None:
        role = self.turns.role(report.role or "unknown")
        kind = _ACTIVE.get(role)
        if kind is None:
            self._lost["entries_unknown"] += 1
        elif report.status == "started":
            self._speaking[kind] = at
        elif report.status == "stopped":
            self.calls.also({"type": kind, **_span(self._speaking.pop(kind, None), at, self._origin, self._lost)})

    def close(self) -> None:
        """Take what began and never ended."""
        for kind, at in sorted(self._speaking.items()):
            self.calls.also({"type": kind, **_span(at, None, self._origin, self._lost)})


def _span(start: int | None, end: int | None, origin: int, lost: Lost) -> dict[str, float]:
    made = window(start, end, origin, lost)
    made.pop("latency_ms", None)
    return made

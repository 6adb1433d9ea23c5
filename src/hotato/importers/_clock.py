"""Moments on a source's clock, as whole nanoseconds, and seconds from the start of the call.

Nothing is rounded on the way: a number is taken by its decimal digits, the origin is subtracted as a whole number, and
only the difference is divided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

from hotato.importers._importer import Options
from hotato.importers._notes import Lost

S, MS, US, NS = 10**9, 10**6, 10**3, 1
_MOST = 10**22  # nanoseconds; beyond it a number is no moment
_ISO = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,18}))?)?"
    r"\s*([Zz]|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)


def number_ns(value: Any, unit: int) -> int | None:
    """Return the nanoseconds of a number of units (`S`, `MS`, `US`, `NS`); None for what is no number.

    Truth values, NaN and numbers that no clock can show are no numbers. Digits as text are.
    """
    if type(value) is str:
        if re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,18})?", value) is None:
            return None
        exact = Decimal(value)
    elif type(value) is int:
        exact = Decimal(value) if abs(value) < _MOST else Decimal(_MOST)
    elif type(value) is float and abs(value) < _MOST:
        exact = Decimal(repr(value))
    else:
        return None
    ns = int((exact * unit).to_integral_value())
    return ns if abs(ns) < _MOST else None


def iso_ns(text: Any) -> int | None:
    """Return the nanoseconds since 1970 of a moment such as `2026-01-02T03:04:05.678Z`; None for anything else.

    A moment without a zone is read as UTC: only differences between moments of one source matter.
    """
    match = _ISO.fullmatch(text.strip()) if type(text) is str else None
    if match is None:
        return None
    year, month, day, hour, minute = (int(part) for part in match.groups()[:5])
    second = int(match[6] or 0)
    try:
        days = date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    if hour > 23 or minute > 59 or second > 60:
        return None
    zone = (match[8] or "Z").upper().replace(":", "")
    shift = 0
    if zone[0] in "+-":
        shift = (int(zone[1:3]) * 60 + int(zone[3:] or 0)) * (-60 if zone[0] == "-" else 60)
    whole = ((days * 24 + hour) * 60 + minute) * 60 + second - shift
    return whole * S + int((match[7] or "").ljust(9, "0")[:9])


def moment(value: Any, unit: int, lost: Lost) -> int | None:
    """Return the nanoseconds of a number of units or of an ISO moment, and note what is neither."""
    if value is None or value == "":
        return None
    found = number_ns(value, unit)
    if found is None:
        found = iso_ns(value)
    lost["time_unreadable"] += found is None
    return found


def origin_ns(options: Options, told: int | None, times: Iterable[int | None], lost: Lost) -> int:
    """Return the moment that counts as 0: the user's, else the one that the source tells, else the earliest, noted."""
    given = number_ns(options.origin, S) if options.origin is not None else None
    if given is not None:
        return given
    if told is not None:
        return told
    known = [time for time in times if time is not None]
    lost["origin_inferred"] += bool(known)
    return min(known, default=0)


def since(ns: int | None, origin: int) -> float | None:
    """Return the seconds from the origin to a moment."""
    return None if ns is None else (ns - origin) / S


def window(start: int | None, end: int | None, origin: int, lost: Lost) -> dict[str, float]:
    """Return `start_sec` and `end_sec` as far as they are known, and `latency_ms` where both are."""
    if start is not None and end is not None and end < start:
        lost["end_before_start"] += 1
        end = None
    made: dict[str, float] = {}
    if start is not None:
        made["start_sec"] = (start - origin) / S
    if end is not None:
        made["end_sec"] = (end - origin) / S
    if start is not None and end is not None:
        made["latency_ms"] = (end - start) / MS
    return made


def instant(ns: int | None, origin: int) -> dict[str, float]:
    """Return `time_sec` where the moment is known."""
    return {} if ns is None else {"time_sec": (ns - origin) / S}


def in_time(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return turns or spans by start, ties in the order given; one without a time keeps its place in the list."""
    starts = [_start(record) for record in records]
    timed = sorted((start, index) for index, start in enumerate(starts) if start is not None)
    by_time = iter([records[index] for _, index in timed])
    return [record if start is None else next(by_time) for record, start in zip(records, starts, strict=True)]


def _start(record: dict[str, Any]) -> float | None:
    for name in ("start_sec", "time_sec", "start"):
        value = record.get(name)
        if value is not None:
            return value  # type: ignore[no-any-return]  # importers put numbers there
    return None

"""Every limit on what is read, in one place: what it bounds, how much is allowed, and why.

A limit is raised or lowered for a stretch of work, and holds in the thread that set it:

    with limits(file_bytes=256 * 1024 * 1024):
        ctx = build_context(trace_path="voice_trace.jsonl")

On the command line that is `--limit file_bytes=256MB`. What is over a limit is refused, never cut, so that a verdict is
the same under every limit that lets its input in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from hotato.errors import Problem, UsageError

_MB = 1024 * 1024
_SIZE = re.compile(r"([0-9]{1,18})(KB|MB|GB)?", re.ASCII)
_UNITS = {None: 1, "KB": 1024, "MB": _MB, "GB": 1024 * _MB}


class Limit(msgspec.Struct, frozen=True):
    """One limit: its default, its unit, the most it can be raised to, what it bounds and why there is one."""

    default: int
    unit: str
    most: int
    bounds: str
    why: str


LIMITS: dict[str, Limit] = {
    "file_bytes": Limit(
        64 * _MB, "bytes", 64 * 1024 * _MB,
        "a file with evidence: transcript, trace, timing, a call in any format; also once it is unpacked",
        "a file is read whole; a call of eight hours with word times has about 10 MB",
    ),
    "document_bytes": Limit(
        16 * _MB, "bytes", 16 * 1024 * _MB,
        "a document of assertions, a rule pack or a state file; of a text in hand, its characters",
        "people write these; the largest that is known has 1 MB",
    ),
    "document_values": Limit(
        200_000, "values", 1_000_000_000,
        "the mappings, lists, texts and numbers in one such document, keys not counted",
        "each value of YAML has a place, so that a refusal can name its line: about 400 bytes",
    ),
    "values": Limit(
        10_000_000, "values", 10_000_000_000,
        "the values in one JSON text of evidence",
        "an empty object takes two characters and 64 bytes; a million turns have about 5,000,000 values",
    ),
    "depth": Limit(
        64, "levels", 128,
        "mappings and lists inside one another, in every text and value that is read",
        "nothing real is deeper than 20; what walks values may recurse",
    ),
    "turn_characters": Limit(
        1_000_000, "characters", 1_000_000_000,
        "the text of one turn",
        "a day of speech without a pause has about 800,000; a search takes time in proportion",
    ),
    "formula_characters": Limit(
        100_000, "characters", 100_000_000,
        "one formula",
        "a weighted sum over a thousand assertions has about 30,000",
    ),
    "formula_depth": Limit(
        50, "levels", 100,
        "parentheses inside one another in a formula",
        "the parser recurses",
    ),
    "line_bytes": Limit(
        16 * _MB, "bytes", 64 * 1024 * _MB,
        "one line of a file of many calls that is split",
        "such a file is read line by line, so the longest line decides how much memory it takes",
    ),
    "unpacked_bytes": Limit(
        16 * 1024 * _MB, "bytes", 1024 * 1024 * _MB,
        "a compressed file of many calls, once it is unpacked",
        "gzip makes a thousandth of what repeats; what is unpacked goes to a temporary folder",
    ),
    "part_bytes": Limit(
        16 * 1024 * _MB, "bytes", 1024 * 1024 * _MB,
        "a file of a conversation that is verified",
        "it is read piece by piece, so this bounds the time: a recording of eight hours has at most about 11 GB",
    ),
    "audio_seconds": Limit(
        28_800, "seconds", 864_000,
        "a recording that is scored",
        "sound is read piece by piece, but every 10 ms of it leave a level behind: about 20 bytes",
    ),
    "problems": Limit(
        1000, "problems", 1_000_000,
        "the problems of one document that are listed; the rest is counted",
        "nobody reads further, and a guess for each takes time",
    ),
}  # fmt: skip
_values: ContextVar[Mapping[str, int]] = ContextVar("hotato_limits")
_DEFAULTS: Mapping[str, int] = {name: one.default for name, one in LIMITS.items()}


def limit(name: str) -> int:
    """Return what a limit of `LIMITS` is at present."""
    return _values.get(_DEFAULTS)[name]


@contextmanager
def limits(**values: int) -> Iterator[None]:
    """Read under other limits for a while. Raise UsageError for one that does not exist or that is out of range."""
    for name, value in values.items():
        if name not in LIMITS:
            raise UsageError(_fault(f"no limit is called '{name}'; there are {', '.join(LIMITS)}"))
        if type(value) is not int or not 1 <= value <= LIMITS[name].most:
            raise UsageError(_fault(f"{name} is a whole number of {LIMITS[name].unit}, 1 to {LIMITS[name].most}"))
    token = _values.set({**_values.get(_DEFAULTS), **values})
    try:
        yield
    finally:
        _values.reset(token)


def parsed(text: str) -> tuple[str, int]:
    """Return name and value of `NAME=VALUE`. Raise ValueError, in words; `limits` finds out whether the name exists.

    A value is a whole number; of bytes it may end in KB, MB or GB.
    """
    name, _, size = text.partition("=")
    found = _SIZE.fullmatch(size)
    if not name or found is None:
        raise ValueError("needs NAME=VALUE, such as file_bytes=256MB")
    if found[2] and name in LIMITS and LIMITS[name].unit != "bytes":
        raise ValueError(f"{name} is counted in {LIMITS[name].unit}, not in {found[2]}")
    return name, int(found[1]) * _UNITS[found[2]]


def amount(name: str, value: int | None = None) -> str:
    """Return a limit, or a value of its unit, as people read it: `64 MB`, `200000 values`."""
    size, unit = limit(name) if value is None else value, LIMITS[name].unit
    if unit == "bytes":
        for word, factor in (("GB", 1024 * _MB), ("MB", _MB), ("KB", 1024)):
            if size >= factor and size % factor == 0:
                return f"{size // factor} {word}"
    return f"{size} {unit}"


def raising(name: str) -> str:
    """Return how more can be allowed, to end a refusal with."""
    if limit(name) >= LIMITS[name].most:
        return f"{name} can be no higher"
    return f"--limit {name}=N allows more"


def _fault(said: str) -> Problem:
    return Problem(code="limit", file="--limit", message=said)

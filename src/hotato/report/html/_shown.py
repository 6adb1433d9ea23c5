"""Text as a page shows it: nothing invisible, nothing that turns the direction of writing, nothing without end."""

from __future__ import annotations

import json
import re
from typing import Any

MOST_TEXT = 20_000  # characters of one turn
MOST_VALUE = 4_000  # characters of one recorded value
MOST_NAME = 200  # characters of the name of a call in a list

# Written out, since what Python calls printable changes with its version, and the same report has the same bytes.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Return text with every character that cannot be seen written as its code point: `[U+202E]`."""
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def finalize(value: Any) -> Any:
    """Return what a template puts out. Texts lose what is invisible; they are escaped afterwards."""
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return value


def cut(text: str, most: int = MOST_TEXT) -> tuple[str, int]:
    """Return the beginning of a text, and how many characters of it are not shown."""
    return (text, 0) if len(text) <= most else (text[:most], len(text) - most)


def named(text: str) -> str:
    """Return the name of a call, cut where it would leave no room for what stands beside it."""
    begun, rest = cut(text, MOST_NAME)
    return f"{begun}... ({rest:,} more characters)" if rest else begun


def written(value: Any) -> str:
    """Return a recorded value as JSON that a person reads: on one line where it is short, cut where it is endless."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    if len(text) > 72 and isinstance(value, (dict, list)):
        text = json.dumps(value, ensure_ascii=False, default=str, indent=2)
    begun, rest = cut(text, MOST_VALUE)
    return f"{begun} ... {rest:,} more characters" if rest else begun


def clock(seconds: float | None) -> str:
    """Return a moment of a call as `m:ss.s`, or `h:mm:ss`; empty where it is not known."""
    if seconds is None:
        return ""
    if abs(seconds) >= 1e7:
        return f"{seconds:.3g} s"
    sign, tenths = "-" if seconds < 0 else "", round(abs(seconds) * 10)
    minutes, rest = divmod(tenths, 600)
    if minutes >= 60:
        return f"{sign}{minutes // 60}:{minutes % 60:02d}:{rest // 10:02d}"
    return f"{sign}{minutes}:{rest // 10:02d}.{rest % 10}"


def words(name: str) -> str:
    """Return a field's or a code's name as words."""
    return name.replace("_", " ")

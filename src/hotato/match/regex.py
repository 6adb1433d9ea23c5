"""Regular expressions of users: checked once, compiled once, searched as few times as possible.

The meaning is that of Python's `re.search` on one turn, one URL or one error message. Two facts about a pattern, read
from its parse tree, make a call cheap to judge: `needles` (every match contains one of these strings, so a text without
them needs no search) and `local` (what surrounds a match cannot change it, so that all turns can be searched at once).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from hotato.match.text import fold_pattern, nfc

_c: Any
_p: Any
try:
    _c, _p = import_module("re._constants"), import_module("re._parser")
except ImportError:  # another implementation of Python: every search is a plain one
    _c = _p = None

MAX_PATTERN = 10_000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NAMES = {"\x08": "a backspace", "\x07": "a bell", "\x1b": "an escape", "\x00": "a NUL"}


class Pattern(msgspec.Struct, frozen=True, eq=False):
    """A compiled regex. `search` is `re.Pattern.search`; `needles` and `local` as the module says."""

    source: str
    search: Callable[..., re.Match[str] | None]
    needles: tuple[str, ...] = ()
    local: bool = False
    ignores_case: bool = True


def regex_fault(source: str) -> str:
    """Return what is wrong with a pattern, in words, or an empty string."""
    if len(source) > MAX_PATTERN:
        return f"a pattern of {len(source)} characters; at most {MAX_PATTERN} are read"
    control = _CONTROL.search(source)
    if control is not None:
        name = _NAMES.get(control.group(), f"U+{ord(control.group()):04X}")
        return f"holds {name} character; write regexes in single quotes, where a backslash stays a backslash"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(fold_pattern(source))
    except (re.error, RecursionError, OverflowError) as error:
        where = getattr(error, "pos", None)
        said = getattr(error, "msg", None) or "nested too deep"
        return f"not a valid regex: {said}" + (f" at character {where + 1}" if where is not None else "")
    return ""


def compile_pattern(source: str, *, case_sensitive: bool = False, speech: bool = True) -> Pattern:
    """Compile a checked pattern. `speech` folds its typography as turns are folded; else it is only composed (NFC)."""
    text = fold_pattern(source) if speech else nfc(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(text, 0 if case_sensitive else re.IGNORECASE)
    needles, local = _facts(text, compiled.flags)
    ignores = bool(compiled.flags & re.IGNORECASE)
    return Pattern(source, compiled.search, needles, local, ignores)


def _facts(text: str, flags: int) -> tuple[tuple[str, ...], bool]:
    if _p is None:
        return (), False
    tree = _p.parse(text, flags)
    plain = not flags & (re.MULTILINE | re.DOTALL | re.ASCII | re.LOCALE)
    found = _needles(tree) if not flags & re.LOCALE else ()
    return tuple(sorted({n.lower() for n in found})), plain and _is_local(tree)


def _needles(tree: Any) -> tuple[str, ...]:
    """Return strings of which every match holds at least one, the most telling set that the tree gives."""
    best: tuple[str, ...] = ()
    run = ""
    options: list[tuple[str, ...]] = []
    for op, arg in [*tree, (None, None)]:
        if op is _c.LITERAL and arg < 128:
            run += chr(arg)
            continue
        if run:
            options.append((run,))
            run = ""
        if op is _c.SUBPATTERN and not (arg[1] or arg[2]):
            options.append(_needles(arg[3]))
        elif op in (_c.MAX_REPEAT, _c.MIN_REPEAT) and arg[0] > 0:
            options.append(_needles(arg[2]))
        elif op is _c.BRANCH:
            each = [_needles(branch) for branch in arg[1]]
            options.append(tuple(n for one in each for n in one) if all(each) else ())
    for option in options:
        if option and min(map(len, option)) > min(map(len, best), default=0) and len(option) <= 16:
            best = option
    return best


def _is_local(tree: Any) -> bool:
    """Say whether the tree holds nothing that looks at what is around it, but for word boundaries."""
    for op, arg in tree:
        if op in (_c.LITERAL, _c.NOT_LITERAL, _c.ANY, _c.IN):
            continue
        if op is _c.AT and arg is _c.AT_BOUNDARY:
            continue
        if op is _c.SUBPATTERN and not (arg[1] or arg[2]):
            below = [arg[3]]
        elif op in (_c.MAX_REPEAT, _c.MIN_REPEAT):
            below = [arg[2]]
        elif op is _c.BRANCH:
            below = arg[1]
        else:
            return False
        if not all(_is_local(branch) for branch in below):
            return False
    return True

"""The parse tree of a pattern, as CPython itself makes it, and what its nodes mean.

A tree is a sequence of pairs (operation, argument). `re._parser` is private, but its trees have not changed in shape since
Python 2; the laws in tests/test_regex.py hold this reading of them against `re` on every version that is tested.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

C: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")

CHARACTERS = frozenset({C.LITERAL, C.NOT_LITERAL, C.ANY, C.IN})
REPEATS = frozenset({C.MAX_REPEAT, C.MIN_REPEAT})
LOOKS = frozenset({C.ASSERT, C.ASSERT_NOT})
ENDLESS: Any = C.MAXREPEAT
_TYPES = re.ASCII | re.LOCALE | re.UNICODE


@lru_cache(maxsize=256)
def parse(text: str, flags: int) -> tuple[Any, re.Pattern[str]]:
    """Return the tree of a pattern, and what CPython compiles it to. Raise re.error, RecursionError or OverflowError.

    The last ones are kept: a pattern is read when it is checked and again when it is compiled.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _parser.parse(text, flags)
        return tree, _compiler.compile(tree, flags)


def scoped(flags: int, add: int, remove: int) -> int:
    """Return the flags inside a group that sets some and clears some."""
    return ((flags & ~_TYPES if add & _TYPES else flags) | add) & ~remove


def node_pattern(node: tuple[Any, Any], flags: int) -> re.Pattern[str]:
    """Return a single node as CPython compiles it, so that its meaning is CPython's own."""
    state = _parser.State()
    state.flags = flags
    found: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [node]))
    return found


def inner(op: Any, arg: Any, flags: int) -> Iterator[tuple[Any, int]]:
    """Yield what stands inside a node, with the flags that hold there; nothing for a node that holds no others."""
    if op is C.SUBPATTERN:
        yield arg[3], scoped(flags, arg[1], arg[2])
    elif op in REPEATS or op is C.POSSESSIVE_REPEAT:
        yield arg[2], flags
    elif op is C.BRANCH:
        yield from ((branch, flags) for branch in arg[1])
    elif op in LOOKS:
        yield arg[1], flags
    elif op is C.ATOMIC_GROUP:
        yield arg, flags
    elif op is C.GROUPREF_EXISTS:
        yield from ((branch, flags) for branch in arg[1:] if branch is not None)

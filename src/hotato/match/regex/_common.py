"""Whether a pattern matches nearly every text: each that has a letter in it, or two in a row.

What is said is sure for texts of printable ASCII, and of the pattern as `re` reads it: which characters a node takes is asked
of `re` itself. Nothing is said of a pattern whose parts look around themselves or refer to one another.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.match.regex._parse import CHARACTERS, ENDLESS, REPEATS, C, inner, node_pattern

MOST = 2  # letters in a row
_PRINTABLE = [chr(place) for place in range(32, 127)]
_ANY = frozenset(_PRINTABLE)
_LETTERS = frozenset(char for char in _PRINTABLE if char.isalpha())
_WORD = frozenset(char for char in _PRINTABLE if char.isalnum() or char == "_")
_BEGIN, _END = (C.AT_BEGINNING, C.AT_BEGINNING_STRING), (C.AT_END, C.AT_END_STRING)  # of a text

_Node = tuple[Any, Any]


class _Need(msgspec.Struct, frozen=True):
    """What surely matches: any `count` characters that are `among` these, and more of `endless` between them."""

    among: frozenset[str] = _ANY
    count: int = 0
    endless: frozenset[str] = frozenset()


def letters(tree: Any, flags: int) -> int:
    """Return with how many letters in a row any text is matched, 1 to `MOST`; 0 where that is not known."""
    nodes: list[_Node] = [(op, arg) for op, arg in tree]
    if len(nodes) == 1 and nodes[0][0] in (C.SUBPATTERN, C.BRANCH):
        found = [letters(below, within) for below, within in inner(*nodes[0], flags)]
        if any(found):
            return min(filter(None, found))
    ends = [_edge(nodes, 0, _BEGIN), _edge(nodes, -1, _END)]
    need = _sequence(nodes, flags)
    if need is None or need.count > MOST:
        return 0
    known = [end for end in ends if end is not None]
    wanted = _ANY if {*_BEGIN, *_END}.intersection(known) else _WORD if known else _LETTERS
    # where both ends are given, the match reaches from the one to the other
    reaches = len(known) < len(ends) or wanted <= need.endless
    return max(need.count, 1) if wanted <= need.among and reaches else 0


def _edge(nodes: list[_Node], place: int, of_text: tuple[Any, ...]) -> Any:
    """Take the edge of a text or a word from an end of a sequence, and return it; None where there is none."""
    if not nodes or nodes[place][0] is not C.AT or nodes[place][1] not in (*of_text, C.AT_BOUNDARY):
        return None
    return nodes.pop(place)[1]


def _sequence(nodes: Any, flags: int) -> _Need | None:
    among, count, endless = _ANY, 0, frozenset[str]()
    for op, arg in nodes:
        need = _node(op, arg, flags)
        if need is None:
            return None
        among, count = among & need.among, count + need.count
        endless = max(endless, need.endless, key=len)
    return _Need(among, count, endless)


def _node(op: Any, arg: Any, flags: int) -> _Need | None:
    if op in CHARACTERS:
        matches = node_pattern((op, arg), flags).fullmatch
        return _Need(frozenset(char for char in _PRINTABLE if matches(char)), 1)
    below = [_sequence(tree, within) for tree, within in inner(op, arg, flags)]
    if op is C.SUBPATTERN:
        return below[0]
    if op is C.BRANCH:
        return _either([need for need in below if need is not None])
    if op not in REPEATS:
        return None
    (need,), (low, high, _) = below, arg
    endless = need.among if need is not None and need.count == 1 and high is ENDLESS else frozenset()
    if low == 0:
        return _Need(endless=endless)
    return None if need is None else _Need(need.among, low * need.count, endless)


def _either(needs: list[_Need]) -> _Need | None:
    """Return what the branch matches that asks for least; single characters are matched by one branch or another."""
    if not needs:
        return None
    if all(need.count for need in needs):
        single = [need.among for need in needs if need.count == 1]
        if single:
            return _Need(frozenset[str]().union(*single), 1)
    return min(needs, key=lambda need: need.count)

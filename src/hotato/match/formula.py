"""The language of `formula`: boolean expressions and weighted sums over assertion ids, in exact decimals.

    or_       :=  and_ ("or" and_)*
    and_      :=  not_ ("and" not_)*
    not_      :=  "not"* primary
    primary   :=  "(" or_ ")"  |  id  |  sum compare NUMBER
    sum       :=  term ("+" term)*
    term      :=  NUMBER "*" id  |  id
    compare   :=  ">=" | ">" | "<=" | "<" | "=="

An id is a letter or `_` followed by letters, digits, `_`, `.` and `-`, or any text in double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from hotato.model.limits import limit, raising

MAX_DIGITS = 50
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)(?![\w.])|(?P<id>[A-Za-z_][A-Za-z0-9_.-]*)|"(?P<quoted>[^"]*)"|(?P<op>>=|<=|==|[()+*<>]))""",
    re.ASCII,
)
_WORDS = ("and", "or", "not")
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
}

Test = Callable[[frozenset[str]], bool]


class FormulaError(ValueError):
    """An expression that is not in the language; the message names the character, counting from 1."""


class Formula(msgspec.Struct, frozen=True):
    """A parsed expression: the ids in it, in the order of their first mention, and its truth given those that passed."""

    refs: tuple[str, ...]
    holds: Test


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    place: int


def parse(source: str) -> Formula:
    """Parse an expression. Raise FormulaError."""
    parser = _Parser(_tokens(source))
    test = parser.either(0)
    parser.expect_end()
    return Formula(tuple(parser.refs), test)


def _tokens(source: str) -> list[_Token]:
    if len(source) > limit("formula_characters"):
        most = f"at most {limit('formula_characters')} are read; {raising('formula_characters')}"
        raise FormulaError(f"an expression of {len(source)} characters; {most}")
    tokens: list[_Token] = []
    place, end = 0, len(source.rstrip())
    while place < end:
        match = _TOKEN.match(source, place)
        if match is None:
            at = place + len(source[place:]) - len(source[place:].lstrip())
            raise FormulaError(f"unexpected '{source[at]}' at character {at + 1}")
        kind = match.lastgroup or ""
        text = match.group(kind)
        if kind == "number" and len(text) > MAX_DIGITS:
            raise FormulaError(f"a number of more than {MAX_DIGITS} digits at character {match.start(kind) + 1}")
        tokens.append(_Token(text if kind == "id" and text in _WORDS else kind, text, match.start(kind) + 1))
        place = match.end()
    tokens.append(_Token("end", "", len(source) + 1))
    return tokens


class _Parser:
    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._deepest = limit("formula_depth")
        self.refs: dict[str, None] = {}

    @property
    def _here(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._here
        self._next += 1
        return token

    def _error(self, wanted: str) -> FormulaError:
        here = self._here
        found = "the end" if here.kind == "end" else f"'{here.text}' at character {here.place}"
        return FormulaError(f"expected {wanted}, found {found}")

    def expect_end(self) -> None:
        if self._here.kind != "end":
            raise self._error("'and', 'or' or the end")

    def either(self, depth: int) -> Test:
        tests = [self._both(depth)]
        while self._here.kind == "or":
            self._take()
            tests.append(self._both(depth))
        return tests[0] if len(tests) == 1 else lambda passed: any(test(passed) for test in tests)

    def _both(self, depth: int) -> Test:
        tests = [self._negated(depth)]
        while self._here.kind == "and":
            self._take()
            tests.append(self._negated(depth))
        return tests[0] if len(tests) == 1 else lambda passed: all(test(passed) for test in tests)

    def _negated(self, depth: int) -> Test:
        odd = False
        while self._here.kind == "not":
            self._take()
            odd = not odd
        test = self._primary(depth)
        return (lambda passed: not test(passed)) if odd else test

    def _primary(self, depth: int) -> Test:
        if self._here.text == "(" and self._here.kind == "op":
            if depth == self._deepest:
                said = f"nested more than {depth} parentheses deep at character {self._here.place}"
                raise FormulaError(f"{said}; {raising('formula_depth')}")
            self._take()
            test = self.either(depth + 1)
            if self._here.text != ")" or self._here.kind != "op":
                raise self._error("')'")
            self._take()
            return test
        terms = [self._term()]
        while self._here.kind == "op" and self._here.text == "+":
            self._take()
            terms.append(self._term())
        if self._here.kind == "op" and self._here.text in _COMPARE:
            return self._sum(terms)
        if len(terms) == 1 and terms[0][0] == "":
            ref = terms[0][1]
            return lambda passed: ref in passed
        raise self._error("a comparison such as '>= 0.5'")

    def _term(self) -> tuple[str, str]:
        weight = ""
        if self._here.kind == "number":
            weight = self._take().text
            if self._here.kind != "op" or self._here.text != "*":
                raise self._error("'*' after a weight")
            self._take()
        if self._here.kind not in ("id", "quoted"):
            raise self._error("an assertion id")
        ref = self._take().text
        self.refs[ref] = None
        return weight, ref

    def _sum(self, terms: list[tuple[str, str]]) -> Test:
        compare = _COMPARE[self._take().text]
        if self._here.kind != "number":
            raise self._error("a number to compare with")
        limit_text = self._take().text
        places = max(_places(text) for text in (limit_text, *(weight for weight, _ in terms)))
        weights = [(_scaled(weight or "1", places), ref) for weight, ref in terms]
        limit = _scaled(limit_text, places)
        return lambda passed: compare(sum(weight for weight, ref in weights if ref in passed), limit)


def _places(text: str) -> int:
    return len(text.partition(".")[2])


def _scaled(text: str, places: int) -> int:
    whole, _, part = text.partition(".")
    return int((whole or "0") + part.ljust(places, "0"))

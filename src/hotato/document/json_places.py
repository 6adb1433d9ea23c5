"""Where every value of a JSON text stands. A slow scan, made only when a problem is to be reported."""

from __future__ import annotations

import json
import re

from hotato.document.problems import shown
from hotato.document.tree import Place, too_many
from hotato.errors import Problem
from hotato.model.codec import too_deep
from hotato.model.limits import limit

_TOKEN = re.compile(r'[ \t\n]*(?:([{}\[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^ \t\n{}\[\],:"]+))')
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_MOST_DIGITS = 4300


class Scanner:
    """Finds the place of every value and key in a text that is JSON by its grammar; stops where it is not."""

    def __init__(self, text: str, file: str) -> None:
        self.problems: list[Problem] = []
        self.root = Place(1, 1)
        self._text, self._file = text, file
        self._line, self._line_start = 1, 0
        self._seen = 0
        self._open: list[Place] = []
        self._key: tuple[str, tuple[int, int]] | None = None
        self._nodes = 0
        self._most, self._deepest = limit("document_values"), limit("depth")

    def run(self) -> Place:
        """Return the places of the whole text."""
        at = 0
        text, wants_key = self._text, False
        while (token := _TOKEN.match(text, at)) is not None:
            at, group = token.end(), token.lastindex or 1
            word = token.group(group)
            if group == 1 and word in ",:":
                wants_key = word == "," and bool(self._open) and isinstance(self._open[-1].inside, dict)
                continue
            if group == 1 and word in "}]":
                if not self._open:
                    break
                self._open.pop()
                self._key, wants_key = None, False
                continue
            line, column = self._place(token.start(group))
            if group == 2 and wants_key:
                self._key = (self._string(word, line, column), (line, column))
            elif not self._value(word, group, Place(line, column)):
                break
            wants_key = group == 1 and word == "{"
        return self.root

    def _place(self, offset: int) -> tuple[int, int]:
        lines = self._text.count("\n", self._seen, offset)
        if lines:
            self._line += lines
            self._line_start = self._text.rfind("\n", 0, offset) + 1
        self._seen = offset
        return self._line, offset - self._line_start + 1

    def _refuse(self, code: str, message: str, line: int, column: int) -> None:
        self.problems.append(Problem(code=code, message=message, file=self._file, line=line, column=column))

    def _value(self, word: str, group: int, place: Place) -> bool:
        """Take a value, and say whether to go on."""
        self._nodes += 1
        if self._nodes > self._most:
            self._refuse("too_many_nodes", too_many(), place.line, place.column)
            return False
        self._put(place)
        if group == 1:
            if len(self._open) == self._deepest:
                self._refuse("too_deep", too_deep(), place.line, place.column)
                return False
            place.inside, place.keys = ({}, {}) if word == "{" else ([], None)
            self._open.append(place)
        elif group == 2:
            self._string(word, place.line, place.column)
        else:
            self._number(word, place)
        return True

    def _put(self, place: Place) -> None:
        if not self._open:
            self.root = place
            return
        inside, keys = self._open[-1].inside, self._open[-1].keys
        if isinstance(inside, list):
            inside.append(place)
        elif isinstance(inside, dict) and self._key is not None and keys is not None:
            key, at = self._key
            self._key = None
            if key in inside:
                self._refuse("duplicate_key", f"the key '{shown(key)}' is already given in line {keys[key][0]}", *at)
            else:
                inside[key], keys[key] = place, at

    def _string(self, quoted: str, line: int, column: int) -> str:
        if "\\" not in quoted:
            return quoted[1:-1]
        try:
            text = str(json.loads(quoted))
        except ValueError:
            return quoted
        if any("\ud800" <= c <= "\udfff" for c in text):
            self._refuse("bad_character", "half of a surrogate pair", line, column)
        return text

    def _number(self, word: str, place: Place) -> None:
        if word in ("NaN", "Infinity", "-Infinity"):
            self._refuse("number", f"{word} is not a JSON number", place.line, place.column)
        elif not _NUMBER.fullmatch(word):
            return
        elif word.lstrip("-").isdigit():
            if len(word) > _MOST_DIGITS:
                self._refuse("number", f"an integer of more than {_MOST_DIGITS} digits", place.line, place.column)
        elif float(word) in (float("inf"), float("-inf")):
            self._refuse("number", "a number too large to represent", place.line, place.column)

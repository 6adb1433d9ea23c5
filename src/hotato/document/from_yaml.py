"""YAML text to a tree: libyaml's events, the 1.2 core schema, no anchors, aliases, merge keys or tags.

Where PyYAML was built without libyaml its Python parser gives the same events, only slower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from yaml import events

from hotato.document.problems import in_order, printable, shown
from hotato.document.scalars import ScalarError, resolve
from hotato.document.text import place as place_of
from hotato.document.tree import Place, Tree, too_many
from hotato.errors import DocumentError, Problem
from hotato.model.codec import too_deep
from hotato.model.limits import limit

_UNREADABLE = frozenset({"yaml_alias", "yaml_merge_key", "key_not_text"})


def parser(text: str) -> Any:
    """Return an object whose `get_event()` gives the next event of the text, None after the last."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        return yaml.SafeLoader(text)
    return CParser(text)


def scan_yaml(text: str, file: str, make_parser: Callable[[str], Any] = parser) -> Tree:
    """Return the tree of a cleaned YAML text. Raise DocumentError where the text cannot be read to its end."""
    builder = _Builder(text, file, make_parser(text))
    try:
        value, root = builder.document()
    except yaml.YAMLError as error:
        builder.problems.append(_syntax(error, text, file))
        raise DocumentError(in_order(builder.problems)) from None
    except _Unreadable:
        raise DocumentError(in_order(builder.problems)) from None
    if any(p.code in _UNREADABLE for p in builder.problems):
        raise DocumentError(in_order(builder.problems))
    return Tree(value, file, lambda: root, tuple(in_order(builder.problems)))


class _Unreadable(Exception):  # noqa: N818 - it carries no message, the problems do
    """Reading on makes no sense."""


class _Builder:
    """Builds values and places from the events of one text and collects what is refused on the way."""

    def __init__(self, text: str, file: str, source: Any) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._file = file
        self._next: Callable[[], Any] = source.get_event
        self._nodes = 0
        self._most, self._deepest = limit("document_values"), limit("depth")

    def document(self) -> tuple[Any, Place]:
        """Return value and place of the one document. Raise yaml.YAMLError or _Unreadable."""
        self._next()
        start = self._next()
        if type(start) is not events.DocumentStartEvent:
            self._stop("empty_document", "the text holds only comments", start)
        if (start.version and start.version != (1, 2)) or start.tags:
            self._refuse("yaml_directive", "a directive; documents are read as YAML 1.2", start)
        value, place = self._node(self._next(), 0)
        self._next()
        rest = self._next()
        if type(rest) is not events.StreamEndEvent:
            self._stop("yaml_documents", "a second document; one file holds one", rest)
        return value, place

    def _refuse(self, code: str, message: str, event: Any) -> None:
        mark = event.start_mark
        self.problems.append(
            Problem(code=code, message=message, file=self._file, line=mark.line + 1, column=mark.column + 1)
        )

    def _stop(self, code: str, message: str, event: Any) -> None:
        self._refuse(code, message, event)
        raise _Unreadable

    def _node(self, event: Any, depth: int) -> tuple[Any, Place]:
        mark = event.start_mark
        place = Place(mark.line + 1, mark.column + 1)
        self._nodes += 1
        if self._nodes > self._most:
            self._stop("too_many_nodes", too_many(), event)
        kind = type(event)
        if kind is events.AliasEvent:
            self._refuse("yaml_alias", f"the alias *{shown(event.anchor)}; write the value out here", event)
            return None, place
        if event.anchor is not None:
            self._refuse(
                "yaml_anchor", f"the anchor &{shown(event.anchor)}; write values out where they are used", event
            )
        if event.tag is not None:
            self._refuse("yaml_tag", f"the tag {shown(event.tag)}; quote what is a text, leave out the tag", event)
        if kind is events.ScalarEvent:
            return self._scalar(event), place
        if depth == self._deepest:
            self._stop("too_deep", too_deep(), event)
        if kind is events.SequenceStartEvent:
            return self._sequence(place, depth + 1), place
        return self._mapping(place, depth + 1), place

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if event.tag is not None:
            return text
        if event.style not in (None, ""):
            if event.style == '"' and not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
                self._refuse("bad_character", "half of a surrogate pair", event)
            return text
        if not text:
            message = "nothing stands here; give a value, write null or leave the field out"
            self._refuse("empty_value", message, event)
            return None
        try:
            return resolve(text)
        except ScalarError as error:
            self._refuse(error.code, str(error), event)
            return text

    def _sequence(self, place: Place, depth: int) -> list[Any]:
        values: list[Any] = []
        places: list[Place] = []
        place.inside = places
        while type(event := self._next()) is not events.SequenceEndEvent:
            value, inner = self._node(event, depth)
            values.append(value)
            places.append(inner)
        return values

    def _mapping(self, place: Place, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        places: dict[str, Place] = {}
        keys: dict[str, tuple[int, int]] = {}
        place.inside, place.keys = places, keys
        while type(event := self._next()) is not events.MappingEndEvent:
            key = self._key(event, depth)
            value, inner = self._node(self._next(), depth)
            if key is None:
                continue
            if key in values:
                first = f"already given in line {keys[key][0]}"
                self._refuse("duplicate_key", f"the key '{shown(key)}' is {first}", event)
                continue
            values[key], places[key] = value, inner
            keys[key] = (event.start_mark.line + 1, event.start_mark.column + 1)
        return values

    def _key(self, event: Any, depth: int) -> str | None:
        """Return a key, None for one that was refused."""
        before = len(self.problems)
        if type(event) is events.ScalarEvent and event.style in (None, ""):
            if event.value == "<<":
                self._refuse("yaml_merge_key", "a merge key; write the fields out here", event)
                return None
            if not event.value:
                self._refuse("key_not_text", "a key that is empty; quote it if it is meant", event)
                return None
        key, _ = self._node(event, depth)
        self._nodes -= 1  # a key counts with its value, as in JSON
        if len(self.problems) > before:
            return key if type(key) is str else None
        if type(key) is not str:
            self._refuse("key_not_text", f"the key {_words(key)} is no text; quote it", event)
            return None
        return key


def _words(key: Any) -> str:
    if key is None or type(key) is bool:
        return {None: "null", True: "true", False: "false"}[key]
    return shown(str(key)) if type(key) in (int, float) else "of this mapping"


def _syntax(error: yaml.YAMLError, text: str, file: str) -> Problem:
    """Return what the parser said. What is never closed is reported where it was opened."""
    said = str(getattr(error, "problem", None) or "not YAML")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    opened = getattr(error, "context_mark", None)
    if mark is not None and mark.index >= len(text.rstrip()) and opened is not None:
        mark = opened
        said = f"{said} for what is opened here" if opened.index < len(text) else said
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else place_of(text, 0)
    if "escape" in said:
        said += "; write regexes in single quotes, where a backslash stays a backslash"
    elif _char(text, line, column) == "\t":
        said += "; indent with blanks, not with tabs"
    code = "too_deep" if "nesting depth" in said else "yaml_syntax"
    return Problem(code=code, message=printable(said), file=file, line=line, column=column)


def _char(text: str, line: int, column: int) -> str:
    lines = text.split("\n", line)
    return lines[line - 1][column - 1 : column] if line <= len(lines) else ""

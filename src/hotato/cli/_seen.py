"""What the detectors of personal data find in the values of a call, and where: the eyes of `_masking`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hotato.importers._redact import address
from hotato.match.pii import MASK, Hit, find, plain
from hotato.match.text import fold_role
from hotato.model.call import Turn

Place = tuple[int, int, str]  # from, to, and the detector
_LEAST_KNOWN = 6  # characters of a number that is looked for by its value alone
_FEWEST = 5  # characters of a text in which anything can be found
_SPLIT = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_IN_A_ROW = re.compile(rf"{re.escape(MASK)}(?:[\W_]{{0,3}}{re.escape(MASK)})+")
# names that say where a value stands, not what it is
_PLAIN = frozenset(
    (
        "arguments", "args", "attributes", "body", "content", "data", "error", "id", "input", "message", "messages", "name",
        "output", "params", "payload", "planned_text", "query", "request", "response", "result", "role", "segments", "text",
        "transcript", "type", "url", "utterance", "value", "values", "words",
    )
)  # fmt: skip


class Seen:
    """What was found so far. A value that is known is found wherever it stands, once `learnt` was called."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self._values: re.Pattern[str] | None = None
        self._detectors: list[str] = []
        self._cache: dict[tuple[str, str], list[Place]] = {}

    def said(self, heard: Sequence[tuple[dict[str, Any], str]]) -> Iterator[tuple[int, Hit, int, int]]:
        """Yield what is found in what was said one after the other: which, what, and from where to where in it."""
        turns = [Turn(place, _role(record), text, _start(record)) for place, (record, text) in enumerate(heard)]
        for hit in find(turns):
            self._know(hit)
            for place, start, end in hit.spans:
                yield place, hit, start, end

    def places(self, text: str, path: Sequence[str] = ()) -> list[Place]:
        """Return the places of a text at which personal data stands; the names on the way to it tell what it may be."""
        if len(text) < _FEWEST or text == MASK:
            return []
        lead = _lead(path)
        if (lead, text) not in self._cache:
            found = [*self._found(text), *(self._found(text, lead) if lead else ())]
            if "%" in text:
                read, back = _decoded(text)
                found += [(back[start], back[end], name) for start, end, name in self._found(read)]
                found += [(back[start], back[end], name) for start, end, name in self._known_in(read)]
            self._cache[lead, text] = [*found, *self._known_in(text)]
        return self._cache[lead, text]

    def words(self, words: Sequence[str]) -> set[int]:
        """Return which words of a list are part of something."""
        text = " ".join(words)
        hidden: set[int] = set()
        place = 0
        spans = [(start, end) for start, end, _ in self.places(text)]
        for number, word in enumerate(words):
            if any(start < place + len(word) and place < end for start, end in spans):
                hidden.add(number)
            place += len(word) + 1
        return hidden

    def learnt(self) -> None:
        """Look for the values that are known from now on."""
        self._cache.clear()
        values = sorted(self.known, key=lambda value: (-len(value), value))
        self._detectors = [self.known[value] for value in values]
        if values:
            spelt = "|".join(f"({_spelt(value)})" for value in values)
            self._values = re.compile(rf"(?<![^\W_])(?:{spelt})(?![^\W_])", re.IGNORECASE)

    def _found(self, text: str, lead: str = "") -> Iterable[Place]:
        for hit in find([Turn(0, "", lead + text)]):
            start, end = hit.spans[0][1] - len(lead), hit.spans[-1][2] - len(lead)
            if end > 0:
                self._know(hit)
                yield max(0, start), end, hit.detector

    def _known_in(self, text: str) -> Iterator[Place]:
        for match in self._values.finditer(text) if self._values is not None else ():
            yield match.start(), match.end(), self._detectors[(match.lastindex or 1) - 1]

    def _know(self, hit: Hit) -> None:
        value = plain(hit.value)
        if len(value) >= _LEAST_KNOWN:
            self.known.setdefault(value, hit.detector)
            if value.isdigit() and len(value) == 11 and value[0] == "1":  # a North American number without its code
                self.known.setdefault(value[1:], hit.detector)


def cut(text: str, places: Iterable[Place]) -> str:
    """Return a text with all places masked."""
    out: list[str] = []
    done = 0
    for start, end, _ in sorted(places):
        if end > done:
            if start > done or not out:
                out += [text[done:start], MASK]
            done = end
    return "".join([*out, text[done:]])


def aligned(words: Sequence[str], texts: Sequence[tuple[str, list[Place]]]) -> set[int]:
    """Return which words of a list say what is masked in the texts beside it.

    Where the list says the same as none of the texts, and anything is masked in any of them, these are all words.
    """
    letters = "".join(map(_letters, words))
    for text, places in texts:
        at = [place for place, char in enumerate(text) for _ in _letters(char)]
        if _letters(text) == letters and len(at) == len(letters):
            return _covered(words, at, places)
    return set(range(len(words))) if any(places for _, places in texts) else set()


def without_secrets(text: str) -> str:
    """Return a text without users, passwords and keys in addresses."""
    return address(text) if "://" in text else text


def joined_masks(text: str) -> str:
    """Return a text in which masks in a row are one."""
    return _IN_A_ROW.sub(MASK, text)


def _covered(words: Sequence[str], at: Sequence[int], places: Sequence[Place]) -> set[int]:
    hidden: set[int] = set()
    first = 0
    for number, word in enumerate(words):
        last = first + len(_letters(word))
        for start, end, _ in places:
            if bisect_left(at, start, first, last) < bisect_left(at, end, first, last):
                hidden.add(number)
        first = last
    return hidden


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _spelt(value: str) -> str:
    """Return a pattern of a value however it is written: with blanks and signs between its characters."""
    return r"[\W_]{0,3}".join(map(re.escape, value))


def _lead(path: Sequence[str]) -> str:
    """Return the names that tell what a value is, as words before it: `customer.phoneNumber` is "customer phone number"."""
    if not path or path[-1].lower() in ("text", "content", "planned_text", "transcript", "utterance"):
        return ""
    named = [name for name in path[-2:] if name.lower() not in _PLAIN and len(name) <= 60]
    words = [word.lower() for name in named for word in _SPLIT.findall(_HUMP.sub(" ", name))]
    return f"{' '.join(words)}: " if words else ""


def _decoded(text: str) -> tuple[str, list[int]]:
    """Return a text without percent-encoding, and for each of its characters, and its end, the place in the given one."""
    out: list[str] = []
    places: list[int] = []
    done = 0
    for match in [*_ESCAPED.finditer(text), None]:
        stop = match.start() if match is not None else len(text)
        out.append(text[done:stop].replace("+", " "))
        places += range(done, stop)
        if match is None:
            break
        place = stop
        for char in bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace"):
            out.append(char)
            places.append(place)
            place = min(match.end(), place + 3 * len(char.encode("utf-8")))
        done = match.end()
    return "".join(out), [*places, len(text)]


def _role(record: dict[str, Any]) -> str:
    for name in ("role", "speaker", "type"):
        if type(record.get(name)) is str:
            return fold_role(record[name])
    return ""


def _start(record: dict[str, Any]) -> float | None:
    for name in ("start", "start_sec", "time_sec"):
        if type(record.get(name)) in (int, float):
            return float(record[name])
    return None

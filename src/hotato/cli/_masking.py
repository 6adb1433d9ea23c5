"""A call without personal data, for sharing: its transcript and its trace as values, masked in place.

What the detectors of personal data find is masked wherever it stands: in what is said, planned or keyed in, in lists of
words, roles, ids and names, keys and values of arguments and results, addresses, bodies and errors. A number that is
found once is masked everywhere. Order, times and everything else stay as they are.

Masking goes on until nothing more is found, so that masking what is masked changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from hotato.cli import _seen
from hotato.cli._seen import Place
from hotato.match.pii import MASK
from hotato.model import codec

KEYS = ("digits", "digit")
SPOKEN = ("text", "transcript", "utterance", "planned_text", "content", *KEYS)
TIMES = frozenset(("start", "end", "start_sec", "end_sec", "time_sec"))
WORDS = ("word", "text", "punctuated_word", "content", "token", "value", "char", "w")
FIELD, SECRET = "field", "secret"
SECRETS = frozenset(
    (
        "authorization", "proxyauthorization", "cookie", "setcookie", "password", "passwd", "passcode", "clientsecret",
        "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken", "apikey", "xapikey", "privatekey", "pin", "cvv",
        "cvc", "cvv2", "securitycode", "otp",
    )
)  # fmt: skip
_PARTIAL = "asr_partial"


class Masked(msgspec.Struct):
    """What was masked: how often by detector, and the places in what is said, as (source, turn, start, end, detector).

    `field` counts named fields and `secret` passwords and keys. Places are in code points of the text as it was read.
    """

    counts: Counter[str]
    places: list[tuple[str, int, int, int, str]]


def mask(
    transcript: Any, records: list[Any] | None, *, fields: Sequence[str] = (), opaque: bool = False
) -> tuple[Any, list[Any] | None, Masked]:
    """Return transcript and records of a trace without personal data, and what was masked. The values given are changed.

    `transcript` is a list of turns or an object that holds one, None where there is none. `fields` are names of further
    fields to mask, whole (`customer.name` ends a path). With `opaque` masks in a row become one, so that their number does
    not tell how long something was.
    """
    told = Masked(Counter(), [])
    names = tuple(name.lower().split(".") for name in fields)
    is_first = True
    while True:
        work = _Pass(names, opaque, told, is_first=is_first)
        for source, value in (("transcript", turns_of(transcript)), ("trace", records)):
            if value is not None:
                work.listen(source, value)
        work.learn([transcript, records])
        transcript, records = work.walk(transcript), work.walk(records)
        if not work.changed:
            return transcript, records, told
        is_first = False


def masked_records(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records of a trace without personal data."""
    return mask(None, records)[1] or []


def mask_value(value: Any) -> Any:
    """Return a plain value, neither transcript nor trace, without personal data."""
    return mask({"": codec.decode(codec.encode(value))}, None)[0][""]


def turns_of(value: Any) -> list[Any] | None:
    """Return the list of turns in a transcript's value."""
    if type(value) is dict:
        inner = value.get("segments", value.get("transcript"))
        value = inner.get("segments") if type(inner) is dict else inner
    return value if type(value) is list else None


class _Pass:
    """One time over all that there is."""

    def __init__(self, fields: tuple[list[str], ...], opaque: bool, told: Masked, *, is_first: bool) -> None:
        self.fields, self.opaque, self.told, self.is_first = fields, opaque, told, is_first
        self.changed = False
        self.seen = _seen.Seen()
        self.lists: set[int] = set()  # the ids of the lists of turns and spans
        self.records: dict[int, Any] = {}  # by id; kept, so that no other object gets the same one
        self.speech: dict[tuple[int, str], list[Place]] = {}  # of the field of an object, by the object's id

    def listen(self, source: str, records: Sequence[Any]) -> None:
        """Find what is said over several turns or spans; a question before tells what the answer is."""
        self.lists.add(id(records))
        self.records.update((id(record), record) for record in records)
        for field in SPOKEN:
            holders = [(number, _holder(record, field)) for number, record in enumerate(records)]
            heard = [(number, *holder) for number, holder in holders if holder is not None]
            for place, hit, start, end in self.seen.said([(record, str(held[field])) for _, record, held in heard]):
                number, _, held = heard[place]
                self.speech.setdefault((id(held), field), []).append((start, end, hit.detector))
                if self.is_first and field == "text":
                    self.told.places.append((source, number, start, end, hit.detector))
            if field in KEYS:
                self._keyed(field, [held for _, _, held in heard])

    def _keyed(self, field: str, holders: list[dict[str, Any]]) -> None:
        """Find what was keyed in, a key at a time or several."""
        keys = [(held, place, char) for held in holders for place, char in enumerate(str(held[field]))]
        for start, end, detector in self.seen.places(" ".join(char for _, _, char in keys)):
            for held, place, _ in keys[start // 2 : (end + 1) // 2]:
                self.speech.setdefault((id(held), field), []).append((place, place + 1, detector))

    def learn(self, values: list[Any]) -> None:
        """Remember every number found in any place, so that it is found where nothing tells what it is."""
        for value in values:
            for key, text in _texts(value, ()):
                self.seen.places(text, key)
        self.seen.learnt()

    def walk(self, value: Any, path: tuple[str, ...] = ()) -> Any:
        """Return a value with everything masked."""
        if type(value) is dict:
            return self._object(value, path)
        if type(value) is list:
            if id(value) not in self.lists:
                self._words(value, [])
            value[:] = [self.walk(inner, path) for inner in value]
            return self._shorter(value)
        if type(value) is str:
            return self._text(value, path, [])
        if type(value) in (int, float):
            return self._number(value, path, [])
        return value

    def _number(self, value: float, path: tuple[str, ...], places: list[Place]) -> Any:
        found = [*places, *self.seen.places(str(value), path)]
        return self._count(found[:1], value, MASK) if found else value

    def _object(self, fields: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        said = [(fields[name], self._of_field(fields, name)) for name in SPOKEN if type(fields.get(name)) is str]
        for inner in fields.values():
            if type(inner) is list and id(inner) not in self.lists:
                self._words(inner, said)
        made: dict[str, Any] = {}
        masked = {name: self._key(name) for name in fields}
        taken = {name for name in fields if masked[name] == name}
        for name, value in fields.items():
            key = name if masked[name] == name else _free(masked[name], taken)
            taken.add(key)
            made[key] = self._value(fields, name, value, path)
        return made

    def _value(self, fields: dict[str, Any], name: str, value: Any, path: tuple[str, ...]) -> Any:
        """Return the value of a field."""
        here = (*path, name)
        if id(fields) in self.records and name in TIMES and type(value) in (int, float):
            return value
        why = self._named(here)
        if why:
            return self._whole(value, why)
        if fields.get("type") == _PARTIAL and name in SPOKEN and value not in ("", MASK) and self.seen.known:
            return self._count([(0, 0, "partial")], value, MASK)  # the first digits of what is known by now
        speech = self.speech.get((id(fields), name), [])
        if type(value) is str:
            return self._text(value, here, speech)
        return self._number(value, here, speech) if type(value) in (int, float) else self.walk(value, here)

    def _of_field(self, fields: dict[str, Any], name: str) -> list[Place]:
        return [*self.speech.get((id(fields), name), ()), *self.seen.places(fields[name], (name,))]

    def _named(self, path: tuple[str, ...]) -> str:
        """Say why a field is masked whole: its name was given, or is that of a secret; nothing where it is not."""
        lowered = [part.lower() for part in path]
        if any(lowered[-len(field) :] == field for field in self.fields):
            return FIELD
        return SECRET if "".join(c for c in lowered[-1] if c.isalnum()) in SECRETS else ""

    def _whole(self, value: Any, why: str) -> Any:
        if type(value) is dict:
            return {name: self._whole(inner, why) for name, inner in self._object(value, ()).items()}
        if type(value) is list:
            return [self._whole(inner, why) for inner in value]
        if value is None or type(value) is bool or value in ("", MASK):
            return value
        return self._count([(0, 0, why)], value, MASK)

    def _key(self, name: str) -> str:
        places = self.seen.places(name)
        return str(self._count(places, name, _seen.cut(name, places))) if places else name

    def _text(self, text: str, path: tuple[str, ...], places: list[Place]) -> str:
        inner = _json(text)
        if inner is not None:
            before = codec.encode(inner)
            made = self.walk(inner, path)
            if codec.encode(made) != before:
                return codec.encode(made)
            return text
        places = [*places, *self.seen.places(text, path)]
        made_text = self._count(places, text, _seen.cut(text, places)) if places else text
        hidden = _seen.without_secrets(made_text)
        if hidden != made_text:
            made_text = self._count([(0, 0, SECRET)], made_text, hidden)
        return _seen.joined_masks(made_text) if self.opaque else made_text

    def _count(self, places: Sequence[Place], before: Any, after: Any) -> Any:
        """Return what takes the place of a value, and count what was masked in it."""
        if before != after:
            self.changed = True
            self.told.counts.update(detector for _, _, detector in set(places))
        return after

    def _words(self, items: list[Any], said: list[tuple[str, list[Place]]]) -> None:
        """Mask the words of a list in which something is found, or that say what is masked in a text beside it."""
        words = _word_list(items)
        hidden = self.seen.words(words) | _seen.aligned(words, said) if words else set()
        for number in sorted(hidden):
            item = items[number]
            self._count([(0, 0, "word")], words[number], MASK)
            if type(item) is str:
                items[number] = MASK
            else:
                item.update({name: MASK for name in WORDS if type(item.get(name)) is str})

    def _shorter(self, items: list[Any]) -> list[Any]:
        """Return a list of words in which masked ones in a row are one that lasts as long as all of them."""
        if not self.opaque or not _word_list(items):
            return items
        made: list[Any] = []
        for item in items:
            if made and _is_masked(item) and _is_masked(made[-1]):
                self.changed = True
                if type(item) is dict and type(made[-1]) is dict:
                    made[-1].update({name: item[name] for name in ("end", "end_sec") if name in item})
            else:
                made.append(item)
        return made


def _holder(record: Any, field: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return a record with the object in it that holds what was said: itself or its attributes."""
    if type(record) is dict:
        for held in (record, record.get("attributes")):
            if type(held) is dict and (
                type(held.get(field)) is str or (field in KEYS and type(held.get(field)) is int)
            ):
                return record, held
    return None


def _texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text and number of a value with the names that lead to it."""
    if type(value) is dict:
        for name, inner in value.items():
            yield (), name
            yield from _texts(inner, (*path, name))
    elif type(value) is list:
        words = _word_list(value)
        if words:
            yield (), " ".join(words)
        for inner in value:
            yield from _texts(inner, path)
    elif type(value) is str:
        inner = _json(value)
        if inner is None:
            yield path, value
        else:
            yield from _texts(inner, path)
    elif type(value) in (int, float):
        yield path, str(value)


def _json(text: str) -> Any:
    """Return the object or list that a text is the JSON of, None where it is none."""
    if text[:1] in ("{", "[") and text[-1:] in ("}", "]") and text != MASK:
        try:
            return codec.decode(text)
        except codec.JsonError:
            return None
    return None


def _word_list(items: list[Any]) -> list[str]:
    """Return the words of a list of words, bare or as objects; none where a list holds anything else."""
    words = [item if type(item) is str else _spelling(item) for item in items]
    if len(words) > 1 and all(word is not None and len(word.split()) <= 1 for word in words):
        return [str(word) for word in words]
    return []


def _spelling(item: Any) -> str | None:
    if type(item) is dict:
        return next((item[name] for name in WORDS if type(item.get(name)) is str), None)
    return None


def _is_masked(item: Any) -> bool:
    return item == MASK or _spelling(item) == MASK


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no other key of an object has: two keys that mask alike stay two."""
    made, number = name, 2
    while made in taken:
        made, number = f"{name} {number}", number + 1
    return made

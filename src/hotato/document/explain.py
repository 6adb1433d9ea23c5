"""Why a value does not fit a struct: every fault, where the decoder names only the first.

Runs only on values that were refused. Faults come in the order of the value, what is missing last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import inspect as types

from hotato.document.problems import Where, shown
from hotato.model.fault import Fault

_BOOLEAN_WORDS = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false"})


def explain(struct: type[msgspec.Struct], value: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield everything in a plain mapping that `msgspec.convert(value, struct)` refuses."""
    yield from _faults(types.type_info(struct), value, ())


def _faults(kind: Any, value: Any, where: Where) -> Iterator[Fault]:
    if isinstance(kind, types.Metadata):
        yield from _faults(kind.type, value, where)
    elif isinstance(kind, types.UnionType):
        yield from _union(kind, value, where)
    elif not _is_of(kind, value):
        yield _wrong_type((kind,), value, where)
    elif isinstance(kind, types.LiteralType):
        yield from _literal(kind.values, value, where)
    elif isinstance(kind, types.StructType):
        yield from _struct(kind, value, where)
    elif isinstance(kind, types.DictType):
        yield from _size(kind, value, where, "entries")
        for key, item in value.items():
            yield from _faults(kind.key_type, key, (*where, key))
            yield from _faults(kind.value_type, item, (*where, key))
    elif isinstance(kind, types.CollectionType):
        yield from _size(kind, value, where, "items")
        for place, item in enumerate(value):
            yield from _faults(kind.item_type, item, (*where, place))
    elif isinstance(kind, types.StrType):
        yield from _size(kind, value, where, "characters")
        if kind.pattern is not None and not _matches(kind.pattern, value):
            yield Fault(where, "wrong_value", f"must match {shown(kind.pattern)}; found {found(value)}")
    elif isinstance(kind, types.IntType | types.FloatType):
        yield from _range(kind, value, where)


def _struct(kind: types.StructType, value: Mapping[str, Any], where: Where) -> Iterator[Fault]:
    fields = {field.encode_name: field for field in kind.fields}
    known = tuple(sorted(fields))
    for key, item in value.items():
        if key in fields:
            yield from _faults(fields[key].type, item, (*where, key))
        elif key != kind.tag_field and kind.forbid_unknown_fields:
            yield Fault((*where, key), "unknown_field", f"unknown field '{shown(key)}'", found=key, allowed=known)
    for name, field in fields.items():
        if field.required and name not in value:
            yield Fault((*where, name), "missing_field", f"the field '{name}' is missing")


def _union(kind: types.UnionType, value: Any, where: Where) -> Iterator[Fault]:
    """Yield nothing if one member fits; else the faults of the member that is of the value's JSON type."""
    members = [m.type if isinstance(m, types.Metadata) else m for m in kind.types]
    near = [member for member in members if _is_of(member, value)]
    if not near:
        yield _wrong_type(members, value, where)
        return
    faults = [list(_faults(member, value, where)) for member in near]
    yield from min(faults, key=len)


def _literal(values: Sequence[Any], value: Any, where: Where) -> Iterator[Fault]:
    if not any(type(value) is type(one) and value == one for one in values):
        texts = tuple(one for one in values if isinstance(one, str))
        said = f"must be {_listed([str(one) for one in values])}; found {found(value)}"
        word = value if isinstance(value, str) else ""
        yield Fault(where, "wrong_value", said, found=word, allowed=texts)


def _size(kind: Any, value: Any, where: Where, parts: str) -> Iterator[Fault]:
    low, high = getattr(kind, "min_length", None), getattr(kind, "max_length", None)
    if low is not None and len(value) < low:
        said = "must not be empty" if low == 1 else f"must have at least {low} {parts}; found {len(value)}"
        yield Fault(where, "length", said)
    elif high is not None and len(value) > high:
        yield Fault(where, "length", f"must have at most {high} {parts}; found {len(value)}")


def _range(kind: Any, value: Any, where: Where) -> Iterator[Fault]:
    for limit, words, broken in (
        (kind.ge, "at least", kind.ge is not None and value < kind.ge),
        (kind.gt, "greater than", kind.gt is not None and value <= kind.gt),
        (kind.le, "at most", kind.le is not None and value > kind.le),
        (kind.lt, "less than", kind.lt is not None and value >= kind.lt),
        (kind.multiple_of, "a multiple of", bool(kind.multiple_of) and value % kind.multiple_of != 0),
    ):
        if broken:
            yield Fault(where, "range", f"must be {words} {limit}; found {found(value)}")


def _is_of(kind: Any, value: Any) -> bool:
    """Say whether a value has the JSON type of a type, its contents aside."""
    if isinstance(kind, types.Metadata):
        return _is_of(kind.type, value)
    if isinstance(kind, types.NoneType):
        return value is None
    if isinstance(kind, types.BoolType):
        return type(value) is bool
    if isinstance(kind, types.IntType):
        return type(value) is int
    if isinstance(kind, types.FloatType):
        return type(value) in (int, float)
    if isinstance(kind, types.StrType):
        return type(value) is str
    if isinstance(kind, types.LiteralType):
        return type(value) in {type(one) for one in kind.values}
    if isinstance(kind, types.StructType | types.DictType):
        return type(value) is dict
    if isinstance(kind, types.CollectionType):
        return type(value) is list
    return True


def _wrong_type(kinds: Sequence[Any], value: Any, where: Where) -> Fault:
    wanted = [w for w in dict.fromkeys(map(_wanted, kinds)) if w]
    said = f"must be {_listed(wanted)}; found {found(value)}"
    texts = any(w.startswith(("text", "'")) for w in wanted)
    if type(value) is str and value.casefold() in _BOOLEAN_WORDS and "true or false" in wanted:
        said += "; write true or false"
    elif type(value) in (int, float, bool) and texts:
        said += "; quote it if it is a text"
    elif type(value) is str and value.lstrip("+-").replace(".", "", 1).isdigit() and not texts:
        said += "; write a number without quotes"
    return Fault(where, "wrong_type", said)


def _wanted(kind: Any) -> str:
    """Return a type in words; empty for null, which is the same as leaving the field out."""
    if isinstance(kind, types.Metadata):
        return _wanted(kind.type)
    if isinstance(kind, types.LiteralType):
        return _listed([f"'{one}'" if isinstance(one, str) else str(one) for one in kind.values])
    for classes, words in (
        (types.BoolType, "true or false"),
        (types.IntType, "a whole number"),
        (types.FloatType, "a number"),
        (types.StrType, "text"),
        ((types.StructType, types.DictType), "a mapping"),
        (types.CollectionType, "a list"),
    ):
        if isinstance(kind, classes):
            return words
    return ""


def found(value: Any) -> str:
    """Return a value in words that a message may show."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        return f"the text '{shown(value)}'"
    if type(value) in (int, float):
        many = type(value) is int and value.bit_length() > 200
        return "a number of very many digits" if many else f"the number {value!r}"
    return "a mapping" if type(value) is dict else "a list"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "something else"


def _matches(pattern: str, value: str) -> bool:
    import re

    return re.search(pattern, value) is not None

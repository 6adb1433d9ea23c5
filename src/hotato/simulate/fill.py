"""Names in braces: which a value holds, and the value with what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_NAME = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LITERAL = {"{{": "{", "}}": "}"}


def names(value: Any, where: tuple[str | int, ...] = ()) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield every name in the texts of a plain value, and the way to the text that holds it. Keys are not looked at."""
    if isinstance(value, str):
        for match in _NAME.finditer(value):
            if match[1]:
                yield match[1], where
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from names(item, (*where, key))
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from names(item, (*where, place))


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a plain value with every name replaced; a text that is one name alone becomes the value it stands for."""
    if isinstance(value, str):
        if "{" not in value and "}" not in value:
            return value
        whole = _NAME.fullmatch(value)
        if whole is not None and whole[1]:
            return known[whole[1]]
        return text(value, known)
    if isinstance(value, Mapping):
        return {key: filled(item, known) for key, item in value.items()}
    return [filled(item, known) for item in value] if isinstance(value, list | tuple) else value


def text(template: str, known: Mapping[str, Any]) -> str:
    """Return a text with every name replaced by what it stands for, written out."""
    return _NAME.sub(lambda match: _LITERAL.get(match[0]) or _written(known[match[1]]), template)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)

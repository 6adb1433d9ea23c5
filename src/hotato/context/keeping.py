"""What a model said, kept by what it was made of, so that the same question finds the same answer.

An answer's name is a hash of all that decides it. A kept one that was damaged or changed is not used. Folders that hold answers
are private: what was said on a call is in them.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

import msgspec

from hotato.context.files import read_text, write_text
from hotato.errors import UsageError
from hotato.model.codec import JsonError, decode, encode


def default_folder() -> str:
    """Return where answers are kept: HOTATO_CACHE, else the user's folder for caches on this system."""
    named = os.environ.get("HOTATO_CACHE")
    if named:
        return named
    try:
        from platformdirs import user_cache_dir
    except ImportError:
        return os.path.join(os.path.expanduser("~"), ".cache", "hotato")
    return user_cache_dir("hotato", appauthor=False)


def digest(value: Any) -> str:
    """Return the SHA-256 of a plain value's JSON."""
    return sha256(encode(value).encode()).hexdigest()


class Shelf(msgspec.Struct, frozen=True):
    """Answers of one sort: the schema of their files, the field that holds the answer, and their folder in the cache."""

    schema: str
    field: str
    folder: str

    def kept(self, cache: str, key: str) -> dict[str, Any] | None:
        """Return the answer of a key; None where there is none, or it is not as it was written."""
        path = self._place(cache, key)
        if not os.path.lexists(path):
            return None
        try:
            value = decode(read_text(path))
            found: dict[str, Any] = value[self.field]
            is_whole = value["schema"] == self.schema and value["key"] == key and value["sha256"] == digest(found)
        except (UsageError, JsonError, KeyError, TypeError):
            return None
        return found if is_whole and type(found) is dict else None

    def keep(self, cache: str, key: str, answer: dict[str, Any]) -> None:
        """Keep an answer. Raise UsageError where the folder cannot be written."""
        path = self._place(cache, key)
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        except OSError as cause:
            from hotato.context.writing import unwritable

            raise unwritable(os.path.dirname(path), cause) from None
        value = {"schema": self.schema, "key": key, "sha256": digest(answer), self.field: answer}
        write_text(path, encode(value) + "\n")

    def _place(self, cache: str, key: str) -> str:
        return os.path.join(cache, self.folder, key[:2], f"{key}.json")

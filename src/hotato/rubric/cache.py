"""Judgements kept by what they were made of: provider, endpoint, model, prompt and input. A kept one is never asked for again."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

from hotato.context.files import read_text, write_text
from hotato.errors import UsageError
from hotato.model.codec import JsonError, decode, encode

SCHEMA = "hotato.rubric_cache.v1"


def default_folder() -> str:
    """Return where judgements are kept: HOTATO_CACHE, else the user's folder for caches on this system."""
    named = os.environ.get("HOTATO_CACHE")
    if named:
        return named
    try:
        from platformdirs import user_cache_dir
    except ImportError:
        return os.path.join(os.path.expanduser("~"), ".cache", "hotato")
    return user_cache_dir("hotato", appauthor=False)


def kept(folder: str, key: str) -> dict[str, Any] | None:
    """Return the judgement of a key; None where there is none, or it is not as it was written."""
    path = _place(folder, key)
    if not os.path.lexists(path):
        return None
    try:
        value = decode(read_text(path))
        found: dict[str, Any] = value["judgement"]
        is_whole = value["schema"] == SCHEMA and value["key"] == key and value["sha256"] == digest(found)
    except (UsageError, JsonError, KeyError, TypeError):
        return None
    return found if is_whole and type(found) is dict else None


def keep(folder: str, key: str, judgement: dict[str, Any]) -> None:
    """Keep a judgement. Raise UsageError where the folder cannot be written."""
    path = _place(folder, key)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as cause:
        from hotato.context.writing import unwritable

        raise unwritable(os.path.dirname(path), cause) from None
    write_text(path, encode({"schema": SCHEMA, "key": key, "sha256": digest(judgement), "judgement": judgement}) + "\n")


def digest(value: Any) -> str:
    """Return the SHA-256 of a plain value's JSON."""
    return sha256(encode(value).encode()).hexdigest()


def _place(folder: str, key: str) -> str:
    return os.path.join(folder, "rubrics", key[:2], f"{key}.json")

"""Transcripts kept by what they were made of, so that judging a call again hears the same words.

A transcript's name is the hash of the recording's bytes and of all that decides what an engine says of them. A kept transcript that
was damaged or changed is not used.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

from hotato.context.files import read_text, write_text
from hotato.errors import UsageError
from hotato.model.codec import JsonError, decode, encode

SCHEMA = "hotato.transcript_cache.v1"


def default_folder() -> str:
    """Return where transcripts and models are kept: HOTATO_CACHE, else the user's folder for caches on this system."""
    named = os.environ.get("HOTATO_CACHE")
    if named:
        return named
    from platformdirs import user_cache_dir

    return user_cache_dir("hotato", appauthor=False)


def key_of(made_of: dict[str, Any]) -> str:
    """Return the name of what was made of these."""
    return sha256(encode(made_of).encode()).hexdigest()


def kept(folder: str, key: str) -> dict[str, Any] | None:
    """Return the transcript of a name, None where there is none or it is not as it was written."""
    path = _place(folder, key)
    if not os.path.lexists(path):
        return None
    try:
        value = decode(read_text(path))
        found = value["transcript"]
        is_whole = value["schema"] == SCHEMA and value["key"] == key and value["sha256"] == _digest(found)
    except (UsageError, JsonError, KeyError, TypeError):
        return None
    return found if is_whole else None


def keep(folder: str, key: str, transcript: dict[str, Any]) -> None:
    """Keep a transcript. Raise UsageError where the folder cannot be written."""
    path = _place(folder, key)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as cause:
        from hotato.context.writing import unwritable

        raise unwritable(os.path.dirname(path), cause) from None
    value = {"schema": SCHEMA, "key": key, "sha256": _digest(transcript), "transcript": transcript}
    write_text(path, encode(value) + "\n")


def _digest(transcript: Any) -> str:
    return sha256(encode(transcript).encode()).hexdigest()


def _place(folder: str, key: str) -> str:
    return os.path.join(folder, "transcripts", key[:2], f"{key}.json")

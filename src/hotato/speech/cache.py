"""Transcripts kept by the recording's bytes and all that decides what an engine says of them."""

from __future__ import annotations

from hotato.context.keeping import Shelf, default_folder, digest

__all__ = ["default_folder", "keep", "kept", "key_of"]

_SHELF = Shelf("hotato.transcript_cache.v1", "transcript", "transcripts")
kept = _SHELF.kept
keep = _SHELF.keep
key_of = digest

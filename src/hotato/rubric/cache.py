"""Judgements kept by what they were made of: provider, endpoint, model, prompt and input. A kept one is never asked for again."""

from __future__ import annotations

from hotato.context.keeping import Shelf, default_folder, digest

__all__ = ["default_folder", "digest", "keep", "kept"]

_SHELF = Shelf("hotato.rubric_cache.v1", "judgement", "rubrics")
kept = _SHELF.kept
keep = _SHELF.keep

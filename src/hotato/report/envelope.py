"""The envelope itself, as JSON."""

from __future__ import annotations

from hotato.model import codec
from hotato.report import _told
from hotato.report._view import View


def render(view: View) -> str:
    """Return the envelope as JSON, keys in their order."""
    return codec.encode(_told.needed(view, "json"), indent=2) + "\n"

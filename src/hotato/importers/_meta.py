"""What hotato's own files say of where they come from."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.importers._importer import Damage, Note, Path
from hotato.model.meta import misspelt


class Source(msgspec.Struct, kw_only=True):
    """Where a trace comes from."""

    captures: dict[str, bool] | None = None
    notes: list[Note] | None = None


def checked_meta(record: dict[str, Any], path: Path, line: int = 0) -> None:
    """Raise Damage where a field of a meta line, or of what stands for one, is nearly one of those that are read."""
    missed = misspelt(record)
    if missed is not None:
        said = f"no such field; what it says of the trace would be lost (did you mean '{missed[1]}'?)"
        raise Damage((*path, *missed[0].split(".")), said, line)

"""From what an importer gives to a call that can be judged."""

from __future__ import annotations

from typing import Any

import msgspec

from hotato.context.build import build_context
from hotato.errors import EvidenceError
from hotato.importers._importer import Imported
from hotato.model.call import Call, StateAdapter


def call_of(
    imported: Imported, *, capture_complete: bool = False, state_adapter: StateAdapter | None = None, file: str = ""
) -> Call:
    """Return the call. What was lost is told with the trace, or with the transcript where the format has no trace.

    Raise EvidenceError where what the file says cannot be judged; `file` names it in messages.
    """
    known: dict[str, Any] = {"format": imported.format}
    noted = {**known, "notes": [msgspec.to_builtins(note) for note in imported.notes]}
    has_trace = imported.spans is not None
    try:
        return build_context(
            transcript=imported.transcript,
            spans=imported.spans,
            state_adapter=state_adapter,
            sources={
                "transcript": known if has_trace else noted,
                "trace": {**noted, "captures": imported.captures},
            },
            capture_complete=capture_complete,
        )
    except EvidenceError as error:
        if not file:
            raise
        raise EvidenceError(
            msgspec.structs.replace(one, file=file, path=f"{one.file}{one.path}") for one in error.problems
        ) from None

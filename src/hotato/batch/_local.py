"""The engine of one machine: processes that read their pieces themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hotato.batch._work import work
from hotato.runs import processes


def run(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: Any) -> Iterator[tuple[int, bytes]]:
    """Yield number and outcome of each piece, in the order in which they are done. Raise EvidenceError, InternalError."""
    yield from processes.run(work, spec, pieces, engine.workers)

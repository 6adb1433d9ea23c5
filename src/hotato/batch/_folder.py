"""The files of a run over many calls, every one of them whole or absent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import IO

from hotato.context.writing import flush_folder, sweep, temporary_name, unwritable
from hotato.runs.folder import plain

RESULTS, ENVELOPES, REPORT, SUMMARY = "results.parquet", "envelopes.jsonl.zst", "report.html", "summary.json"
WRITTEN = (RESULTS, ENVELOPES, REPORT, SUMMARY)  # the summary last, so that it never stands without its parts


@contextlib.contextmanager
def placed(path: str) -> Iterator[IO[bytes]]:
    """Write a file that takes its place when all of it is on disk. Raise UsageError; then what was there is there still."""
    plain(path)
    sweep(path)
    temporary = temporary_name(path)
    try:
        try:
            with open(temporary, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
            flush_folder(os.path.dirname(path) or ".")
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    except OSError as cause:
        raise unwritable(path, cause) from None

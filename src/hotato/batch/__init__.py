"""Judge many calls: the public facade of batches.

    import pyarrow as pa
    from hotato import assert_ as A, batch

    plan = A.compile_assertions(open("assertions.yaml").read())
    rows = batch.judge(plan, pa.RecordBatch.from_pylist([{"call_id": "1", "call": '{"transcript": []}'}]))

`judge` turns a RecordBatch of calls into a RecordBatch of results, and runs inside anything that speaks Arrow. `run`
judges files on this machine or a cluster and leaves a folder of results, `resume` goes on with a run that stopped, and
`status` tells how far one has come. It needs the extra `batch`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotato.batch._judge import judge
    from hotato.batch._rows import SCHEMA, STATUSES
    from hotato.batch._run import Watcher

__all__ = ["SCHEMA", "STATUSES", "judge", "resume", "run", "status"]

_LATE = {"judge": "_judge", "SCHEMA": "_rows", "STATUSES": "_rows"}


def run(
    assertions: str | os.PathLike[str],
    calls: str | Sequence[str],
    out: str | os.PathLike[str],
    *,
    engine: str = "local",
    workers: int = 0,
    address: str = "",
    min_pass_rate: Mapping[str, float] | None = None,
    force: bool = False,
    watcher: Watcher | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Judge the calls that paths, folders, globs or URLs name by a document file; return the summary. Raise UsageError.

    `out` is the folder for the results; `engine` is `local`, `dask` or `ray`, `workers` 0 stands for one a core. Settings
    are `inconclusive_policy`, `strict`, `join_segments` and `packs` as for a single call, and `kind`, `call_format`,
    `capture_complete`, `envelopes`, `batch_bytes` and `max_errors` as the flags of `hotato batch run` have them. The processes
    of `local` import the script that calls this, so a script does so under `if __name__ == "__main__":`.
    """
    from hotato.batch import _document, _run
    from hotato.context.files import MOST_CONFIG, read_text
    from hotato.errors import DocumentError
    from hotato.model import given

    file, folder = given.path(assertions, "assertions", DocumentError), given.path(out, "out")
    given.flag(force, "force")
    text = read_text(file, most=MOST_CONFIG, error=DocumentError)
    of_plan = {
        name: settings.pop(name) for name in ("inconclusive_policy", "strict", "join_segments") if name in settings
    }
    judged, plan = _document.taken(text, file, settings.pop("packs", ()), **of_plan)
    named = (
        (calls,) if isinstance(calls, str) else given.typed((list, tuple), calls, "calls", "a path, or a list of paths")
    )
    if not named or not all(type(name) is str for name in named):
        raise given.refused(calls, "calls", "a path as text, or a list with one or more")
    for name in ("capture_complete", "envelopes"):
        given.flag(settings.get(name, False), name)
    request = _run.Request(
        calls=tuple(named), judged=judged, min_pass_rate={} if min_pass_rate is None else min_pass_rate, **settings
    )
    how = _run.Engine(engine, workers, address)
    return _run.run(request, plan, folder, how, watcher or _run.Unwatched(), force=force)


def resume(
    out: str | os.PathLike[str],
    *,
    engine: str = "local",
    workers: int = 0,
    address: str = "",
    watcher: Watcher | None = None,
) -> dict[str, Any]:
    """Go on with a run that stopped, and return its summary, the same as if it had not. Raise UsageError."""
    from hotato.batch import _run
    from hotato.model import given

    return _run.resume(given.path(out, "out"), _run.Engine(engine, workers, address), watcher or _run.Unwatched())


def status(out: str | os.PathLike[str]) -> dict[str, Any]:
    """Return how far a run has come: `state` (`running`, `stopped` or `finished`) and counts. Raise UsageError."""
    from hotato.batch import _status
    from hotato.model import given

    return _status.status(given.path(out, "out"))


def __getattr__(name: str) -> Any:
    """Resolve what needs Arrow when it is first asked for."""
    if name in _LATE:
        return getattr(import_module(f"hotato.batch.{_LATE[name]}"), name)
    raise AttributeError(f"module 'hotato.batch' has no attribute '{name}'")

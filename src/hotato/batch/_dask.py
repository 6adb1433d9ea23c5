"""Pieces on a Dask cluster, or on processes of this machine that Dask looks after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

from hotato.batch._asked import unanswered
from hotato.batch._work import work

AHEAD = 3  # pieces a worker that are handed out at once
ANSWERED = 15  # seconds within which a scheduler has to answer
RETRIES = 2  # of a piece whose worker was lost


def run(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: Any) -> Iterator[tuple[int, bytes]]:
    """Yield number and outcome of each piece, in the order in which they are done. Raise what judging raises.

    `engine.address` names the scheduler of a cluster, whose workers have hotato and reach the input; without one, so many
    processes as `engine.workers` are begun here.
    """
    import distributed as names  # it is typed here and there, which is worse than not at all

    distributed: Any = names
    with ExitStack() as stack:
        address: Any = engine.address
        if not address:
            address = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=engine.workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    memory_limit=0,
                )
            )
        client = stack.enter_context(_client(distributed, address))
        shared = client.scatter(spec, broadcast=True, hash=False)
        room = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))

        def handed(count: int) -> list[Any]:
            made = []
            for number, piece in islice(pieces, count):
                made.append(client.submit(_work, shared, number, piece, pure=False, retries=RETRIES))
            return made

        waiting = distributed.as_completed(handed(room), with_results=True)
        for future, (number, outcome) in waiting:
            future.release()
            for one in handed(1):
                waiting.add(one)
            yield number, outcome


def _client(distributed: Any, address: Any) -> Any:
    try:
        return distributed.Client(address, timeout=ANSWERED)
    except (OSError, ValueError, TypeError):
        raise unanswered(str(address), "Dask scheduler") from None


def _work(spec: bytes, number: int, piece: bytes) -> tuple[int, bytes]:
    return number, work(spec, piece)

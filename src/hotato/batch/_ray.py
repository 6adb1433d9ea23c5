"""Pieces on a Ray cluster, or on the processes of a Ray that is begun here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from hotato.batch._asked import unanswered
from hotato.batch._work import work

AHEAD = 3  # pieces a processor that are handed out at once
RETRIES = 2  # of a piece whose worker was lost
SHARE = 0.5  # processors a task: with whole ones, nothing is left for what Ray itself does on a small machine


def run(spec: bytes, pieces: Iterator[tuple[int, bytes]], engine: Any) -> Iterator[tuple[int, bytes]]:
    """Yield number and outcome of each piece, in the order in which they are done. Raise what judging raises.

    `engine.address` names a cluster, whose nodes have hotato and reach the input; without one, a Ray with
    `engine.workers` processors is begun here, and ended.
    """
    import ray

    is_here = not ray.is_initialized()
    if is_here:
        begun: dict[str, Any] = {"address": engine.address} if engine.address else {"num_cpus": engine.workers}
        try:
            ray.init(**begun, include_dashboard=False, log_to_driver=False, configure_logging=False)
        except (OSError, ValueError) as cause:
            if not engine.address:
                raise
            raise unanswered(engine.address, "Ray cluster") from cause
    try:
        task = ray.remote(num_cpus=SHARE, max_retries=RETRIES)(work)
        shared = ray.put(spec)
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting: dict[Any, int] = {}
        while True:
            for number, piece in islice(pieces, room - len(waiting)):
                waiting[task.remote(shared, piece)] = number
            if not waiting:
                return
            done, _ = ray.wait(list(waiting), num_returns=1)
            for one in done:
                number = waiting.pop(one)
                try:
                    outcome = ray.get(one)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                yield number, outcome
    finally:
        if is_here:
            ray.shutdown()

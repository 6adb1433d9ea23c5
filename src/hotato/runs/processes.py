"""Pieces of work in processes of this machine, which read what they work on themselves."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from hotato.errors import InternalError

AHEAD = 2  # pieces a worker that wait for it, so that it never waits for one
_GUARD = 'your script, which each process imports, calls this outside of `if __name__ == "__main__":`'
TRIES = 3

Work = Callable[[bytes, bytes], bytes]


def run(work: Work, spec: bytes, pieces: Iterator[tuple[int, bytes]], workers: int) -> Iterator[tuple[int, bytes]]:
    """Yield number and outcome of each piece, in the order in which they are done.

    `work` is a function of a module: it takes what all pieces share, and a piece. With one worker it is called here.
    Raise what it raises, and InternalError for a piece that ends its process again and again.
    """
    if workers == 1:
        for number, piece in pieces:
            yield number, work(spec, piece)
        return
    tried: dict[int, int] = {}
    left: list[tuple[int, bytes]] = []
    while True:
        lost: list[tuple[int, bytes]] = []
        yield from _pool((work, spec), _both(left, pieces), workers, lost)
        if not lost:
            return
        for number, _ in lost:
            tried[number] = tried.get(number, 0) + 1
            if tried[number] >= TRIES:
                said = f"piece {number} of the input ended its process {TRIES} times"
                raise InternalError(f"{said}; it may need more memory, or {_GUARD}")
        left = sorted(lost)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _both(first: list[tuple[int, bytes]], then: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    yield from first
    yield from then


def _pool(
    task: tuple[Work, bytes], pieces: Iterator[tuple[int, bytes]], workers: int, lost: list[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    """Run pieces in processes; where one of those dies, put what was not done into `lost` and end."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin)
    waiting: dict[Future[bytes], tuple[int, bytes]] = {}
    is_whole = False
    try:
        while True:
            for number, piece in islice(pieces, workers * AHEAD - len(waiting)):
                waiting[_submitted(pool, task, piece)] = number, piece
            if not waiting:
                is_whole = True
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                number, piece = waiting.pop(future)
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    lost.append((number, piece))
                    continue
                yield number, outcome
            if lost:
                lost += waiting.values()
                return
    finally:
        _end(pool, is_whole)


def _submitted(pool: ProcessPoolExecutor, task: tuple[Work, bytes], piece: bytes) -> Future[bytes]:
    """Hand a piece to the pool; one that is broken takes nothing more, and that is told like a piece it lost."""
    work, spec = task
    try:
        return pool.submit(work, spec, piece)
    except BrokenProcessPool as broken:
        failed: Future[bytes] = Future()
        failed.set_exception(broken)
        return failed


def _begin() -> None:
    """Prepare a worker: the terminal's Ctrl-C is for its parent, whose end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _end(pool: ProcessPoolExecutor, is_whole: bool) -> None:
    mine = set(getattr(pool, "_processes", None) or {})
    pool.shutdown(wait=is_whole, cancel_futures=True)
    if not is_whole:
        for child in multiprocessing.active_children():
            if child.pid in mine:
                child.terminate()

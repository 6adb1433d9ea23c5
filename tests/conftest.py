"""What all tests share: the processes that they start can be interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _signals_are_heard() -> Iterator[None]:
    """Let started commands hear signals: what runs in the background of a shell inherits that it is not interrupted."""
    kept = {which: signal.getsignal(which) for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for which, handler in kept.items():
        if handler == signal.SIG_IGN:
            signal.signal(which, signal.SIG_DFL)
    yield
    for which, handler in kept.items():
        signal.signal(which, handler)

"""What all tests share: the processes that they start can be interrupted, and what is cached is in a folder of theirs."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# laws without settings of their own try the same examples in every run, however busy the machine is
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.load_profile("gate")


@pytest.fixture(scope="session", autouse=True)
def _cache_is_ours() -> Iterator[None]:
    """Keep models and transcripts in a temporary folder, which the commands that are started use as well."""
    with tempfile.TemporaryDirectory(prefix="hotato-cache-") as folder:
        was = os.environ.get("HOTATO_CACHE")
        os.environ["HOTATO_CACHE"] = folder
        yield
        if was is None:
            del os.environ["HOTATO_CACHE"]
        else:
            os.environ["HOTATO_CACHE"] = was


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

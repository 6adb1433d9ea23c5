"""Being told to stop: the work is dropped, what was there before stays, and the exit code says by what signal."""

from __future__ import annotations

import signal
from types import FrameType

_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")  # those that the system has


class Stopped(KeyboardInterrupt):
    """A signal that asks to stop has come. `number` is the signal's."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


def obey() -> None:
    """Have signals raise Stopped from now on; a second one ends the process at once. An ignored signal stays ignored."""
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def ignore_no_more() -> None:
    """Have signals end the process at once: all that was to be written is written."""
    for number in _numbers():
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)


def code(error: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was stopped, as shells have it: 128 and the number of the signal."""
    return 128 + (error.number if isinstance(error, Stopped) else signal.SIGINT)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    signal.signal(number, signal.SIG_DFL)
    raise Stopped(number)

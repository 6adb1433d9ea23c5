"""Running a command again whenever a file that it reads changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from hotato.cli._out import complain
from hotato.cli._parser import CommandError


def watch(prog: str, paths: Sequence[str], run: Callable[[bool], int]) -> int:
    """Run, and run again after every change of one of the files, until interrupted.

    `run` is told whether it is the first time. What it refuses is told, and the next change is waited for: a file that is
    being edited is often broken for a while. Raise CommandError where the package that watches is not installed,
    KeyboardInterrupt in the end.
    """
    try:
        from watchfiles import watch as changes
    except ImportError:
        said = "needs the package watchfiles: pip install 'hotato[watch]'"
        raise CommandError(prog, "--watch", said) from None

    files = sorted({os.path.realpath(path) for path in paths})
    folders = sorted({os.path.dirname(file) for file in files})
    missing = [folder for folder in folders if not os.path.isdir(folder)]
    if missing:
        raise CommandError(prog, "--watch", f"the folder '{missing[0]}' does not exist")
    seen = _marks(files)
    code = _guarded(run, is_first=True)
    complain(f"watching {len(files)} file{'' if len(files) == 1 else 's'}; interrupt to end\n")
    # A folder is watched, not a file: editors put a new file in the place of the old one. Marks are compared every
    # second as well, since a change made while the watching starts is announced by nobody.
    for _ in changes(*folders, recursive=False, debounce=200, step=50, rust_timeout=1000, yield_on_timeout=True):
        now = _marks(files)
        if now != seen:
            seen = now
            complain("\n")
            code = _guarded(run, is_first=False)
    return code


def _marks(files: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each file what changes when it does; nothing where it is not there."""
    found: list[tuple[int, ...]] = []
    for file in files:
        try:
            told = os.stat(file)
            found.append((told.st_ino, told.st_size, told.st_mtime_ns))
        except OSError:
            found.append(())
    return found


def _guarded(run: Callable[[bool], int], *, is_first: bool) -> int:
    from hotato.errors import UsageError
    from hotato.plan.text import safe

    try:
        return run(is_first)
    except UsageError as error:
        complain("".join(f"{safe(str(problem))}\n" for problem in error.problems))
        return 2

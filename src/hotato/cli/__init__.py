"""The command line `hotato`: one file a command, imported when the command is named.

`_command.py` is the contract of a command and the folder is the registry; `_frame.py` turns what goes wrong into messages
and exit codes. Exit codes: 0 pass, 1 fail, 2 refused, 3 internal error, 128 and the signal's
number where a signal stopped it (130 interrupted, 143 terminated), 141 nobody reads the output.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. `argv` are the words after `hotato`; by default the process's own."""
    from hotato.cli._frame import framed

    return framed(sys.argv[1:] if argv is None else list(argv))


def run() -> None:
    """Run the command that the process was started with, and exit with its code."""
    from hotato.cli import _signals

    # a short process leaves little garbage, and looking for it a hundred times while it starts costs a twelfth of it
    gc.set_threshold(50_000)
    try:
        _signals.obey()
        code = main()
        _signals.ignore_no_more()
    except KeyboardInterrupt as error:
        code = _signals.code(error)
    sys.exit(code)

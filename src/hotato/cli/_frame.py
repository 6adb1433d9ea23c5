"""Around every command: finds it, and turns what goes wrong into one message and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from hotato.cli import _command
from hotato.cli._out import OutputError, columns, complain, emit, finish
from hotato.cli._parser import CommandError, HelpAsked

REFUSED, BROKEN, UNREAD = 2, 3, 141
CODES = {
    "argument": "a command or a flag that does not exist, that lacks its value, or that does not go with another",
}


def framed(words: list[str]) -> int:
    """Run one command and return its exit code; no exception of a command leaves here."""
    try:
        return _run(words)
    except KeyboardInterrupt as error:
        from hotato.cli._signals import code

        return code(error)
    except BrokenPipeError:
        return UNREAD
    except MemoryError:
        pass  # told below, where what the failed work held is free again
    except Exception as error:
        try:
            return _report(error, words)
        except Exception as second:
            complain(f"hotato: internal error: {type(second).__name__}\n")
            return BROKEN
    complain("hotato: out of memory; docs/limits.md says how much an input may take\n")
    return BROKEN


def _run(words: list[str]) -> int:
    words = words[1:] if words[:1] == ["--debug"] else words
    leading = _leading(words)
    if not leading:
        return _bare(words)
    name = _command.resolve(leading)
    if name not in _command.names():
        return _group(name, words[len(leading) :])
    rest = [*leading[len(name.split()) :], *words[len(leading) :]]
    command = _command.load(name)
    parser = _command.parser_of(name)
    try:
        args = parser.read(rest)
    except HelpAsked:
        from hotato.cli._help import command_help

        emit(command_help(parser, command.__doc__ or "", columns()))
        return 0
    import_msgspec()
    if given := getattr(args, "limit", None):
        from hotato.cli._limits import limited

        with limited(given, parser.prog):
            return command.main(args)
    return command.main(args)


def _leading(words: Sequence[str]) -> list[str]:
    count = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    return list(words[:count])


def _bare(words: list[str]) -> int:
    """Answer `hotato` without a command."""
    from hotato.cli._help import overview

    if not words:
        raise CommandError("hotato", "", "needs a command", more=overview("", columns()))
    if words[0] in ("-h", "--help"):
        emit(overview("", columns()))
    elif words[0] == "--version":
        from hotato import __version__

        emit(f"hotato {__version__}\n")
    else:
        from hotato.document.guess import Guesser

        guess = Guesser().nearest(words[0], ("--help", "--version"))
        raise CommandError("hotato", words[0], "no such flag; a command comes first", guess)
    return 0


def _group(name: str, rest: list[str]) -> int:
    """Answer a group of commands without one of them."""
    from hotato.cli._help import overview

    if any(word in ("-h", "--help") for word in rest):
        emit(overview(name, columns()))
        return 0
    raise CommandError(f"hotato {name}", "", "needs a command", more=overview(name, columns()))


def _report(error: Exception, words: Sequence[str]) -> int:
    """Tell what went wrong, on standard error or, where JSON was asked for, as one object on standard output."""
    import_msgspec()
    from hotato.errors import InternalError, Problem, UsageError
    from hotato.plan.text import safe

    if "--debug" in words:
        complain(_where(error))
    kind, code = "internal", BROKEN
    problems: tuple[Problem, ...] = ()
    if isinstance(error, CommandError):
        fault = Problem(code="argument", file=error.command, path=error.word, message=error.message, guess=error.guess)
        kind, code, problems = "usage", REFUSED, (fault,)
    elif isinstance(error, UsageError):
        kind, code, problems = error.error_code, REFUSED, error.problems
    elif isinstance(error, OutputError):
        kind = "output"
    if problems:
        message = "\n".join(map(str, problems))
    elif kind == "output" or isinstance(error, InternalError):
        message = f"hotato: {error}"
    else:
        message = f"hotato: internal error: {type(error).__name__}; --debug shows where"
    if _asks_json(words) and kind != "output":
        return _as_json(kind, message, problems, code)
    complain("".join(f"{safe(line)}\n" for line in map(str, problems or [message])))
    if isinstance(error, CommandError) and error.more:
        complain(f"\n{error.more}")
    return code


def _where(error: BaseException) -> str:
    """Return where an exception was raised, and its causes: files, lines and types, never a message, which may hold data."""
    import traceback

    from hotato.plan.text import safe

    lines: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(lines) < 2000:
        stack = "".join(traceback.format_tb(cause.__traceback__)).splitlines()
        lines = ["Traceback (most recent call last):", *stack, type(cause).__name__, *lines]
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "".join(f"{safe(line)}\n" for line in lines)


def _as_json(kind: str, message: str, problems: Sequence[Any], code: int) -> int:
    from hotato.model.codec import encode

    fields = ("code", "file", "line", "column", "path", "message", "guess")
    answer = {
        "ok": False,
        "error_code": kind,
        "message": message,
        "problems": [{field: getattr(problem, field) for field in fields} for problem in problems],
        "exit_code": code,
    }
    try:
        return finish(encode(answer, indent=2) + "\n", code)
    except OutputError as error:
        complain(f"hotato: {error}\n")
        return BROKEN


def _asks_json(words: Sequence[str]) -> bool:
    """Say whether JSON was asked for, also in a command line that cannot be parsed."""
    pairs = zip(words, [*words, ""][1:], strict=True)
    return any(word == "--format=json" or (word == "--format" and value == "json") for word, value in pairs)


def import_msgspec() -> None:
    """Import msgspec without typing_extensions.

    Where typing_extensions is installed, msgspec imports it for three names that `typing` has since Python 3.11: a fifth
    of the time it takes to start. A command is a short process of its own, so it is held back here and nowhere else.
    """
    name = "typing_extensions"
    if "msgspec" in sys.modules or name in sys.modules:
        return
    sys.modules[name] = None  # type: ignore[assignment]  # how Python itself marks a module that must not be imported
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[name]

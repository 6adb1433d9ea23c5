"""The contract of a command, and the folder as its registry.

A command is one file of this folder whose name is the command's with `_` for each blank: `assert_run.py` is
`hotato assert run`. The first line of its docstring says what it does, the rest (examples, mostly) ends its help. It has

    configure(parser)   declares flags and operands; cheap, imports nothing that judging needs
    main(args)          does the work, writes through `_out`, and returns the exit code
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from hotato.cli._parser import CommandError, Parser


class Command(Protocol):
    """A module of this folder."""

    __doc__: str | None

    def configure(self, parser: Parser) -> None:
        """Declare flags and operands."""

    def main(self, args: Namespace) -> int:
        """Do the work; return the exit code."""


def names() -> tuple[str, ...]:
    """Return every command, sorted: `assert run`, `demo` ..."""
    entries = os.listdir(os.path.dirname(__file__))
    stems = {entry.split(".")[0] for entry in entries if entry.endswith((".py", ".pyc"))}
    return tuple(sorted(stem.replace("_", " ") for stem in stems if not stem.startswith("_")))


def load(name: str) -> Command:
    """Import the command of a name that `names` lists."""
    return cast(Command, import_module(f"hotato.cli.{name.replace(' ', '_')}"))


def summary(name: str) -> str:
    """Return the first line of a command's docstring, without importing the command where its source is there."""
    try:
        with open(os.path.join(os.path.dirname(__file__), name.replace(" ", "_") + ".py"), encoding="utf-8") as file:
            return file.readline().strip().strip('"')
    except OSError:
        return (load(name).__doc__ or "").partition("\n")[0]


def parser_of(name: str) -> Parser:
    """Return the parser of a command."""
    parser = Parser(f"hotato {name}")
    load(name).configure(parser)
    return parser


def resolve(words: Sequence[str]) -> str:
    """Return the command that the words begin with; a group such as `assert` alone is returned as it is. Raise CommandError."""
    known = names()
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in known:
            return name
    first = words[0]
    members = [name for name in known if name.startswith(f"{first} ")]
    if members and len(words) == 1:
        return first
    if members:
        seconds = [name.partition(" ")[2] for name in members]
        listed = ", ".join(seconds)
        raise CommandError(
            f"hotato {first}", words[1], f"no such command; there are {listed}", _nearest(words[1], seconds)
        )
    guess = _nearest(first, list(dict.fromkeys(name.partition(" ")[0] for name in known)))
    ends = {name.rpartition(" ")[2]: name for name in known}
    guess = guess or ends.get(_nearest(first, list(ends)), "")
    said = "no such command; hotato --help lists them"
    if first == "mcp":  # what speaks a protocol on standard output takes none of the flags that commands share
        said = "no such command; the server for coding agents is a command of its own, hotato-mcp"
    raise CommandError("hotato", first, said, guess)


def _nearest(word: str, known: Sequence[str]) -> str:
    from hotato.document.guess import Guesser

    return Guesser().nearest(word, known)

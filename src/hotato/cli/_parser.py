"""The parser of a command: argparse underneath, errors in our own words, and a list of what was declared.

Help and shell completion are made from that list, so they name every flag. Nothing is ignored: a flag that is given
twice, an empty value, a flag that does not exist are refused.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NoReturn

Completes = Literal["file", "folder", "pack", "kind", "format", "document", ""]


class CommandError(Exception):  # it becomes a usage error; see _frame
    """A command line that cannot be used: where (`hotato assert run`), which word, what is wrong, the nearest right one.

    `more` is a text for people that follows the message: the commands there are.
    """

    def __init__(self, command: str, word: str, message: str, guess: str = "", more: str = "") -> None:
        self.command, self.word, self.message, self.guess, self.more = command, word, message, guess, more
        super().__init__(message)


class HelpAsked(Exception):  # noqa: N818  # it is no error
    """`--help` was given."""


class Declared(NamedTuple):
    """One flag (`--out`) or operand (`FILE`) of a command. `metavar` is empty for a switch."""

    name: str
    metavar: str
    help: str
    choices: tuple[str, ...] = ()
    completes: Completes = ""
    required: bool = False
    many: bool = False

    @property
    def is_flag(self) -> bool:
        """Say whether it is a flag, not an operand."""
        return self.name.startswith("-")

    @property
    def dest(self) -> str:
        """Return the attribute that holds its value."""
        return self.name.lstrip("-").replace("-", "_").lower()


class Parser(argparse.ArgumentParser):
    """Reads the words of one command."""

    def __init__(self, command: str) -> None:
        super().__init__(
            prog=command, add_help=False, allow_abbrev=False, exit_on_error=False, formatter_class=_formatter
        )
        self.declared: list[Declared] = []
        self.add_argument("-h", "--help", action=_Help, nargs=0)
        self.add_argument("--debug", action="store_true")  # not in help: shows the traceback of a defect

    def value(
        self,
        name: str,
        metavar: str,
        text: str,
        *,
        choices: Sequence[str] = (),
        completes: Completes = "",
        required: bool = False,
        many: bool = False,
        default: str | None = None,
    ) -> None:
        """Declare a flag with a value; with `many` it may be given again."""
        self.declared.append(Declared(name, metavar, text, tuple(choices), completes, required, many))
        action = "append" if many else _Once
        self.add_argument(name, action=action, choices=choices or None, default=default, metavar=metavar)

    def switch(self, name: str, text: str, *, negative: str = "") -> None:
        """Declare a flag without a value; `negative` is the flag that says the opposite. Not given, it is None."""
        self.declared.append(Declared(name, "", text))
        dest = self.declared[-1].dest
        self.add_argument(name, action=_Switch, nargs=0, const=True, dest=dest)
        if negative:
            self.declared.append(Declared(negative, "", f"the opposite of {name}"))
            self.add_argument(negative, action=_Switch, nargs=0, const=False, dest=dest)

    def operand(
        self,
        name: str,
        text: str,
        *,
        choices: Sequence[str] = (),
        completes: Completes = "",
        required: bool = False,
        many: bool = False,
    ) -> None:
        """Declare a word without a flag; with `many` there may be several."""
        self.declared.append(Declared(name, name, text, tuple(choices), completes, required, many))

    def formats(self, *more: str) -> None:
        """Declare `--format`, which every command with an answer for programs has; `more` are formats beside the two."""
        text = "text for people (default) or json for programs; errors take the same form"
        text += f"; also {', '.join(more)}, whose errors are text" if more else ""
        self.value("--format", "FORMAT", text, choices=("text", "json", *more), default="text")

    def limits(self) -> None:
        """Declare `--limit`, which every command has that reads what may be large or hostile."""
        text = "read more, or less, than by default: file_bytes=256MB; may be repeated, docs/limits.md lists the names"
        self.value("--limit", "NAME=N", text, many=True)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the values of a command's words. Raise CommandError or HelpAsked."""
        try:
            args, left = self.parse_known_args(list(words))
        except argparse.ArgumentError as error:
            raise CommandError(self.prog, error.argument_name or "", _own_words(str(error.message))) from None
        self._operands(args, left)
        for one in self.declared:
            if one.required and not getattr(args, one.dest):
                wanted = f"{one.name} {one.metavar}" if one.is_flag else one.name
                raise CommandError(self.prog, "", f"needs {wanted}: {one.help}")
        return args

    def _operands(self, args: argparse.Namespace, left: Sequence[str]) -> None:
        """Give the words that belong to no flag to the operands; argparse would take those before the first flag only."""
        end = left.index("--") if "--" in left else len(left)
        flag = next((word for word in left[:end] if word.startswith("-") and word != "-"), None)
        if flag is not None:
            raise CommandError(self.prog, flag, "no such flag", self._nearest(flag))
        words = [*left[:end], *left[end + 1 :]]
        for one in (one for one in self.declared if not one.is_flag):
            taken = words if one.many else words[:1]
            words = words[len(taken) :]
            for word in taken:
                self._allow(one.name, word, one.choices)
            setattr(args, one.dest, taken if one.many else taken[0] if taken else None)
        if words:
            raise CommandError(self.prog, words[0], f"one argument too many; {self._wanted()}")

    def _wanted(self) -> str:
        """Return what may stand where a word was not expected."""
        operands = " ".join(one.name for one in self.declared if not one.is_flag)
        if operands:
            return f"it takes {operands} and flags"
        flag = next((one for one in self.declared if one.is_flag and one.metavar), None)
        return f"a value stands after its flag, such as {flag.name} {flag.metavar}" if flag else "it takes none"

    def _nearest(self, flag: str) -> str:
        from hotato.document.guess import Guesser

        known = [one.name for one in self.declared if one.is_flag]
        return Guesser().nearest(flag.partition("=")[0], [*known, "--help"])

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a flag's value that is not among the choices, with the nearest one."""
        self._allow(action.option_strings[0], str(value), tuple(action.choices or ()))

    def _allow(self, name: str, value: str, choices: Sequence[str]) -> None:
        if choices and value not in choices:
            from hotato.document.guess import Guesser

            raise CommandError(
                self.prog, name, f"'{value}' is not among {', '.join(choices)}", Guesser().nearest(value, choices)
            )

    def error(self, message: str) -> NoReturn:
        """Raise CommandError for whatever argparse itself finds."""
        raise CommandError(self.prog, "", message)


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Return what argparse asks of every flag; given a width, it does not import shutil to learn the terminal's."""
    return argparse.HelpFormatter(prog, width=100)


def _own_words(message: str) -> str:
    if message.startswith("expected"):
        return "needs a value; one that begins with '-' is written after '='"
    return "takes no value" if message.startswith("ignored explicit argument") else message


class _Help(argparse.Action):
    def __call__(self, *_: object, **__: object) -> None:
        raise HelpAsked


class _Once(argparse.Action):
    """Stores a value; refuses a second one, of which one would be dropped, and an empty one."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        if not values:
            raise CommandError(parser.prog, str(option_string), "an empty value")
        _only_once(parser, namespace, self.dest, str(option_string))
        setattr(namespace, self.dest, values)


class _Switch(argparse.Action):
    """Stores true or false; refuses to be told both."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        del values
        if getattr(namespace, self.dest) is not self.const:
            _only_once(parser, namespace, self.dest, str(option_string))
        setattr(namespace, self.dest, self.const)


def _only_once(parser: argparse.ArgumentParser, namespace: argparse.Namespace, dest: str, flag: str) -> None:
    given: set[str] = namespace.__dict__.setdefault("_given", set())
    if dest in given:
        raise CommandError(parser.prog, flag, "given twice, or together with its opposite")
    given.add(dest)

"""The help of a command, of a group of commands and of the whole, from what they declare."""

from __future__ import annotations

from hotato.cli import _command
from hotato.cli._parser import Declared, Parser

ABOUT = "Prove what happened on a voice agent's call."
EXIT_CODES = "Exit codes: 0 pass, 1 fail, 2 refused, 3 internal error."
WIDTH = 100


def overview(group: str) -> str:
    """Return the list of commands, of one group or of all."""
    listed = [name for name in _command.names() if not group or name.startswith(f"{group} ")]
    width = max(map(len, listed))
    lines = [f"Usage: hotato {f'{group} ' if group else ''}COMMAND [options]", ""]
    lines = lines if group else [ABOUT, "", *lines]
    lines += [f"  {name:<{width}}  {_command.summary(name)}" for name in listed]
    lines += ["", f"hotato {f'{group} ' if group else ''}COMMAND --help explains a command and shows examples."]
    if not group:
        lines += ["hotato --version prints the version.", "", EXIT_CODES]
    return "\n".join(lines) + "\n"


def command_help(parser: Parser, doc: str) -> str:
    """Return the help of one command: what it does, its usage, every flag, then the rest of its docstring."""
    summary, _, rest = doc.strip().partition("\n")
    usage = ["Usage:", parser.prog]
    usage += [_word(one) for one in parser.declared if one.is_flag and one.required]
    usage += [_word(one) for one in parser.declared if not one.is_flag]
    usage += ["[options]"] if any(one.is_flag and not one.required for one in parser.declared) else []
    shown = [*parser.declared, Declared("--help", "", "this text")]
    heads = [f"{one.name} {one.metavar}".rstrip() if one.is_flag else one.name for one in shown]
    width = max(map(len, heads))
    lines = [summary, "", " ".join(usage), ""]
    for head, one in zip(heads, shown, strict=True):
        text = (
            one.help if all(choice in one.help for choice in one.choices) else f"{one.help} ({', '.join(one.choices)})"
        )
        first, *more = _wrapped(text, WIDTH - width - 4)
        lines.append(f"  {head:<{width}}  {first}")
        lines += [f"  {'':<{width}}  {line}" for line in more]
    return "\n".join(lines) + ("\n\n" + rest.strip() if rest.strip() else "") + "\n"


def _word(one: Declared) -> str:
    word = f"{one.name} {one.metavar}" if one.is_flag else one.name + ("..." if one.many else "")
    return word if one.required else f"[{word}]"


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines

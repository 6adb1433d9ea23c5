"""The help of a command, of a group of commands and of the whole, from what they declare.

On a terminal it is made to fit: `columns` is how many there are. Elsewhere (0) a text is the same wherever it is read.
"""

from __future__ import annotations

from hotato.cli import _command
from hotato.cli._parser import Declared, Parser

ABOUT = "Prove what happened on a voice agent's call."
EXIT_CODES = "Exit codes: 0 pass, 1 fail, 2 refused, 3 internal error."
WIDTH = 100  # columns of help, at most
NARROWEST = 30  # columns that are filled even on a terminal that has fewer
ROOM = 30  # columns that a text needs beside its name
UNBROKEN = 1000  # no summary is longer


def overview(group: str, columns: int = 0) -> str:
    """Return the list of commands, of one group or of all."""
    listed = [name for name in _command.names() if not group or name.startswith(f"{group} ")]
    lines = [f"Usage: hotato {f'{group} ' if group else ''}COMMAND [options]", ""]
    lines = lines if group else [ABOUT, "", *lines]
    lines += _table(
        [(name, _command.summary(name)) for name in listed], max(columns, NARROWEST) if columns else UNBROKEN
    )
    lines += ["", f"hotato {f'{group} ' if group else ''}COMMAND --help explains a command and shows examples."]
    if not group:
        lines += ["hotato --version prints the version.", "", EXIT_CODES]
    return _fitted("\n".join(lines), columns) + "\n"


def command_help(parser: Parser, doc: str, columns: int = 0) -> str:
    """Return the help of one command: what it does, its usage, every flag, then the rest of its docstring."""
    summary, _, rest = doc.strip().partition("\n")
    usage = ["Usage:", parser.prog]
    usage += [_word(one) for one in parser.declared if one.is_flag and one.required]
    usage += [_word(one) for one in parser.declared if not one.is_flag]
    usage += ["[options]"] if any(one.is_flag and not one.required for one in parser.declared) else []
    rows = []
    for one in [*parser.declared, Declared("--help", "", "this text")]:
        head = f"{one.name} {one.metavar}".rstrip() if one.is_flag else one.name
        named = all(choice in one.help for choice in one.choices)
        rows.append((head, one.help if named else f"{one.help} ({', '.join(one.choices)})"))
    table = _table(rows, min(WIDTH, max(columns, NARROWEST)) if columns else WIDTH)
    told = f"\n\n{_fitted(rest.strip(), columns)}" if rest.strip() else ""
    return "\n".join([_fitted(f"{summary}\n\n{' '.join(usage)}\n", columns), *table]) + told + "\n"


def _table(rows: list[tuple[str, str]], total: int) -> list[str]:
    """Return names and what they are as lines of at most `total` columns: beside each other, or where that is too narrow
    below.
    """
    width = max(len(head) for head, _ in rows)
    beside = total - width - 4 >= ROOM
    lines = []
    for head, text in rows:
        if beside:
            first, *more = _wrapped(text, total - width - 4)
            lines.append(f"  {head:<{width}}  {first}")
            lines += [f"  {'':<{width}}  {line}" for line in more]
        else:
            lines += [f"  {head}", *(f"      {line}" for line in _wrapped(text, total - 6))]
    return lines


def _fitted(text: str, columns: int) -> str:
    """Return a text whose paragraphs are broken anew where a line has more columns than there are.

    What is indented, such as a command to copy, stays as it is.
    """
    if not columns or all(len(line) <= columns for line in text.splitlines()):
        return text
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), " "]:
        if line and not line.startswith(" "):
            paragraph.append(line)
            continue
        lines += _wrapped(" ".join(paragraph), max(columns, NARROWEST)) if paragraph else []
        paragraph = []
        lines.append(line)
    return "\n".join(lines[:-1])


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

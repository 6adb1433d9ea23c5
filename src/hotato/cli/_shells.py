"""Completion scripts: static text made from what every command declares."""

from __future__ import annotations

from collections.abc import Sequence

from hotato import importers, kinds, packs
from hotato.cli import _command
from hotato.cli._parser import Declared

_BASH = {"file": "-f", "folder": "-d", "": ""}  # what compgen is asked for
_ZSH = {"file": "_files", "folder": "_files -/", "": " "}  # a blank: something is typed, nothing is offered
_NOTE = "# Completion of hotato for {shell}; written by `hotato completion {shell}`."


def script(shell: str) -> str:
    """Return the script for `bash`, `zsh` or `fish`."""
    commands = {name: _command.parser_of(name).declared for name in _command.names()}
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    first = ["#compdef hotato"] if shell == "zsh" else []  # zsh looks for it in the first line
    return "\n".join([*first, _NOTE.format(shell=shell), *write(commands)]) + "\n"


def _values(one: Declared) -> tuple[str, ...]:
    """Return the words that a flag's value or an operand can be; none for a file or free text."""
    if one.choices:
        return one.choices
    if one.completes == "kind":
        return kinds.names()
    if one.completes == "format":
        return tuple(importers.names())
    if one.completes == "pack":
        return (*packs.names("assertions"), *(packs.names("policy") if not one.is_flag else ()))
    return ()


def _takes(one: Declared) -> str:
    """Return `file` or `folder` where a flag's value or an operand is one and no list of words says what it can be."""
    if _values(one):
        return ""
    return "file" if one.completes == "document" else one.completes


def _flags(declared: Sequence[Declared]) -> list[str]:
    return [*(one.name for one in declared if one.is_flag), "--help"]


def _next_words(commands: Sequence[str]) -> dict[str, list[str]]:
    """Return what may follow each incomplete command: nothing yet, or the name of a group."""
    found: dict[str, list[str]] = {}
    for name in commands:
        words = name.split()
        for count in range(len(words)):
            following = found.setdefault(" ".join(words[:count]), [])
            if words[count] not in following:
                following.append(words[count])
    return found


def _bash(commands: dict[str, list[Declared]]) -> list[str]:
    lines = [
        "_hotato() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word words= files= place",
        "  # bash takes --flag=value for three words",
        "  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi",
        "  for ((place = 1; place < COMP_CWORD; place++)); do",
        "    word=${COMP_WORDS[place]}",
        "    [[ $word == -* ]] && break",
        '    command="${command:+$command }$word"',
        '    case "$command" in ' + "|".join(f'"{name}"' for name in commands) + ") break ;; esac",
        "  done",
        '  case "$command" in',
    ]
    for group, following in _next_words(list(commands)).items():
        more = ["--help", *([] if group else ["--version"])]
        lines.append(f'    "{group}") words="{" ".join([*following, *more])}" ;;')
    for name, declared in commands.items():
        lines += [f'    "{name}")', '      case "$previous" in']
        for one in (one for one in declared if one.is_flag and one.metavar):
            words = " ".join(_values(one))
            offer = f'words="{words}"' if words else f"files={_BASH[_takes(one)]}"
            lines.append(f"        {one.name}) {offer} ;;")
        operands = [word for one in declared if not one.is_flag for word in _values(one)]
        takes = {_takes(one) for one in declared if not one.is_flag}
        files = next((f"; files={_BASH[kind]}" for kind in ("file", "folder") if kind in takes), "")
        lines.append(f'        *) words="{" ".join([*operands, *_flags(declared)])}"{files} ;;')
        lines += ["      esac ;;"]
    lines += [
        "  esac",
        "  [[ -n $files && $current == -* ]] && files=",
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "  if [[ -n $files ]]; then",
        "    compopt -o filenames 2>/dev/null",
        '    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$files" -- "$current")',
        "  fi",
        "}",
        "complete -F _hotato hotato",
    ]
    return lines


def _zsh(commands: dict[str, list[Declared]]) -> list[str]:
    lines = [
        "_hotato() {",
        "  local command= word place=2",
        "  while (( place < CURRENT )); do",
        "    word=${words[place]}",
        "    [[ $word == -* ]] && break",
        '    command="${command:+$command }$word"',
        '    case "$command" in ' + "|".join(f'"{name}"' for name in commands) + ") break ;; esac",
        "    (( place++ ))",
        "  done",
        '  case "$command" in',
    ]
    for group, following in _next_words(list(commands)).items():
        entries = [_entry(word, _about(f"{group} {word}".strip())) for word in following]
        lines += [f'    "{group}")', f"      local -a known=({' '.join(entries)})"]
        lines += [
            "      _describe command known",
            "      compadd -- --help" + ("" if group else " --version"),
            "      ;;",
        ]
    for name, declared in commands.items():
        lines.append(f'    "{name}")')
        lines.append(f"      shift {len(name.split())} words; (( CURRENT -= {len(name.split())} ))")
        specs = [_spec(one) for one in declared if one.is_flag]
        for place, one in enumerate((one for one in declared if not one.is_flag), start=1):
            specs.append(f"'{'*' if one.many else place}:{one.name}:{_action(one)}'")
        specs.append("'--help[this text]'")
        lines += ["      _arguments \\", " \\\n".join(f"        {spec}" for spec in specs), "      ;;"]
    return [
        *lines,
        "  esac",
        "}",
        'if [[ $funcstack[1] == _hotato ]]; then _hotato "$@"; else compdef _hotato hotato; fi',
    ]


def _spec(one: Declared) -> str:
    """Return a flag as zsh's `_arguments` reads it; `=` says that its value may follow in the same word or the next."""
    text = f"[{_zsh_text(one.help)}]"
    value = f"={text}:{one.metavar}:{_action(one)}" if one.metavar else text
    return f"'{'*' if one.many else ''}{one.name}{value}'"


def _action(one: Declared) -> str:
    return f"({' '.join(_values(one))})" if _values(one) else _ZSH[_takes(one)]


def _entry(word: str, about: str) -> str:
    return f"'{word}:{_zsh_text(about)}'" if about else f"'{word}'"


def _zsh_text(text: str) -> str:
    for char in "\\:[]":
        text = text.replace(char, f"\\{char}")
    return text.replace("'", "'\\''")


def _about(name: str) -> str:
    return _command.summary(name) if name in _command.names() else ""


def _fish(commands: dict[str, list[Declared]]) -> list[str]:
    lines = [
        "function __hotato_at",
        "    set -l words (commandline -opc)",
        "    set -l command",
        "    for word in $words[2..-1]",
        "        string match -q -- '-*' $word; and break",
        "        set -a command $word",
        '        contains -- "$command" ' + " ".join(f"'{name}'" for name in commands) + "; and break",
        "    end",
        '    test "$command" = "$argv[1]"',
        "end",
        "complete -c hotato -f",
        "complete -c hotato -n '__hotato_at \"\"' -l version -d 'print the version'",
        "complete -c hotato -l help -d 'explain the command'",
    ]
    for group, following in _next_words(list(commands)).items():
        for word in following:
            about = _about(f"{group} {word}".strip())
            tail = f" -d {_fish_text(about)}" if about else ""
            lines.append(f"complete -c hotato -n '__hotato_at \"{group}\"' -a {word}{tail}")
    for name, declared in commands.items():
        head = f"complete -c hotato -n '__hotato_at \"{name}\"'"
        for one in declared:
            values = _values(one)
            offer = f" -a '{' '.join(values)}'" if values else ""
            files = "" if values or not one.completes else " -F"
            if not one.is_flag:
                lines.append(f"{head}{files}{offer}" if files or offer else head)
            else:
                needs = "" if not one.metavar else " -r" if files else " -x"
                lines.append(f"{head} -l {one.name[2:]}{needs}{files}{offer} -d {_fish_text(one.help)}")
    return lines


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

"""Print a completion script for a shell.

For example:
  hotato completion bash > ~/.local/share/bash-completion/completions/hotato
  hotato completion zsh > "${fpath[1]}/_hotato"
  hotato completion fish > ~/.config/fish/completions/hotato.fish

It completes commands, flags, the values of flags, kinds, packs and file names, without starting hotato.
"""

from __future__ import annotations

from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import Parser


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish"), required=True)


def main(args: Namespace) -> int:
    """Print the script."""
    from hotato.cli._shells import script

    emit(script(args.shell))
    return 0

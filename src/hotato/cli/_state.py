"""What the commands about systems of record share: filters from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hotato.cli._parser import CommandError, Parser


def declare(parser: Parser) -> None:
    """Declare what says which system and which record."""
    parser.value("--state", "FILE", "the state config: JSON, YAML or SQLite", completes="file", required=True)
    parser.value("--resource", "NAME", "which resource, as the config names it")
    said = "which record, such as id=7; a text that looks like a number is quoted: id='\"7\"'; may be repeated"
    parser.value("--filter", "NAME=VALUE", said, many=True)


def filters(pairs: Sequence[str], prog: str) -> dict[str, Any]:
    """Return filters by name. Raise CommandError."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not name or not equals:
            raise CommandError(prog, "--filter", "needs NAME=VALUE, such as id=7")
        if name in found or name in ("resource", "when", "self"):
            raise CommandError(prog, "--filter", f"cannot give '{name}', or gives it twice")
        found[name] = _value(text, prog)
    return found


def _value(text: str, prog: str) -> Any:
    from hotato.document.scalars import ScalarError, resolve
    from hotato.model.codec import JsonError, decode

    try:
        if text[:1] == text[-1:] == '"' and len(text) > 1:
            return decode(text)
        return resolve(text) if text else ""
    except JsonError:
        raise CommandError(prog, "--filter", "a quoted value that is no JSON text") from None
    except ScalarError as error:
        raise CommandError(prog, "--filter", str(error)) from None

"""`--limit NAME=VALUE`: reading more, or less, than by default."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from hotato.cli._parser import CommandError


def limited(words: Sequence[str], prog: str) -> AbstractContextManager[None]:
    """Return what reads under the limits given. Raise CommandError for a word that names none."""
    from hotato.errors import UsageError
    from hotato.model.limits import LIMITS, limits, parsed

    values: dict[str, int] = {}
    for word in words:
        try:
            name, value = parsed(word)
            with limits(**{name: value}):
                pass
        except UsageError as error:
            from hotato.document.guess import Guesser

            guess = "" if name in LIMITS else Guesser().nearest(name, tuple(LIMITS))
            raise CommandError(prog, "--limit", error.problems[0].message, guess) from None
        except ValueError as error:
            raise CommandError(prog, "--limit", str(error)) from None
        if name in values:
            raise CommandError(prog, "--limit", f"gives {name} twice")
        values[name] = value
    return limits(**values)

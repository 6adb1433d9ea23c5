"""Secrets: named in a config, read from the environment, shown nowhere."""

from __future__ import annotations

import os

from hotato.errors import EvidenceError, Problem


class Secret:
    """A text that its `repr` does not tell. `reveal` gives it to whoever sends it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text."""
        return self._text

    def __repr__(self) -> str:
        """Return the same for every secret."""
        return "Secret(...)"

    def __reduce__(self) -> str:
        """Refuse to be pickled: a copy would be written down."""
        raise TypeError("a secret is not copied")


def from_environment(variable: str, file: str, path: str) -> Secret:
    """Return the value of an environment variable. Raise EvidenceError where it is missing, empty or no header can hold it."""
    text = os.environ.get(variable, "")
    if text and text.isprintable() and text.isascii():
        return Secret(text)
    said = f"the environment variable '{variable}' is not set"
    if text:
        said = f"the environment variable '{variable}' holds what is not printable ASCII"
    raise EvidenceError(Problem(code="secret", file=file, path=path, message=said))

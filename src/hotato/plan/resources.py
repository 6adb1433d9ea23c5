"""What kinds may ask for while they are compiled: patterns, rule packs, the verifier of timing contracts."""

from __future__ import annotations

from collections.abc import Callable

from hotato import packs
from hotato.document.packs import load_pack
from hotato.document.reading import read
from hotato.errors import DocumentError, Problem
from hotato.match.regex import Pattern, compile_pattern
from hotato.model.pack import Pack

DEFAULT_PACK = "default"


class Resources:
    """Shared by all assertions of a plan, so that equal patterns and packs are prepared once.

    `read_text` reads a file that a document names; without it a `pack_path` is refused. `verify_bundle` re-scores
    the contracts at a path and returns how many there are, how many are kept, and how many cannot be verified.
    """

    def __init__(
        self,
        read_text: Callable[[str], str] | None = None,
        verify_bundle: Callable[[str], tuple[int, int, int]] | None = None,
    ) -> None:
        self.verify_bundle = verify_bundle
        self._read_text = read_text
        self._patterns: dict[tuple[str, bool, bool], Pattern] = {}
        self._packs: dict[tuple[str | None, str | None], Pack] = {}

    def pattern(self, source: str, *, case_sensitive: bool = False, speech: bool = True) -> Pattern:
        """Return the compiled pattern, the same object for the same pattern."""
        key = (source, case_sensitive, speech)
        if key not in self._patterns:
            self._patterns[key] = compile_pattern(source, case_sensitive=case_sensitive, speech=speech)
        return self._patterns[key]

    def pack(self, name: str | None, path: str | None) -> Pack:
        """Return a rule pack by name, or from a file. Raise DocumentError."""
        key = (name, path)
        if key not in self._packs:
            self._packs[key] = (
                self._from_file(path) if path is not None else bundled(DEFAULT_PACK if name is None else name)
            )
        return self._packs[key]

    def _from_file(self, path: str) -> Pack:
        if self._read_text is None:
            raise DocumentError(
                Problem(code="unknown_pack", message="rule packs cannot be read from files here", path="pack_path")
            )
        return load_pack(read(self._read_text(path), path))


def bundled(name: str) -> Pack:
    """Return a rule pack that comes with hotato. Raise DocumentError."""
    if name not in packs.names("policy"):
        known = ", ".join(packs.names("policy"))
        raise DocumentError(Problem(code="unknown_pack", message=f"no rule pack is called '{name}'; there is {known}"))
    return load_pack(read(packs.text("policy", name), f"{name}.yaml"))

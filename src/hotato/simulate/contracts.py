"""The timing contracts that a conversation test names: scoring them once, and telling them from others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from hashlib import sha256

from hotato.errors import UsageError
from hotato.kinds._kind import Kind

Counts = tuple[int, int, int]


def verifier() -> Callable[[str], Counts]:
    """Return what scores the contracts at a path, each path once: a test is run on many calls, and contracts are of none.

    It gives how many there are, how many are kept, how many cannot be verified, and raises EvidenceError where the packages that
    score are missing.
    """
    known: dict[str, Counts] = {}

    def verify(path: str) -> Counts:
        if path not in known:
            from hotato.timing.contract import counts

            known[path] = counts(path)
        return known[path]

    return verify


def digests(specs: Iterable[Kind]) -> dict[str, str]:
    """Return by the path of each bundle that assertions name what tells its contracts from others; empty where none are there.

    A contract.json holds the hash of every other file of its bundle, and one that has others is not verified.
    """
    from hotato.kinds.timing_contract import TimingContract

    return {spec.bundle: _digest(spec.bundle) for spec in specs if isinstance(spec, TimingContract)}


def _digest(path: str) -> str:
    from hotato.context.files import sha256_of
    from hotato.errors import EvidenceError
    from hotato.timing.bundle import CONTRACT, bundles

    lines = []
    try:
        for folder in bundles(path):
            try:
                told = sha256_of(os.path.join(folder, CONTRACT), error=EvidenceError)
            except UsageError:
                told = ""
            lines.append(f"{os.path.basename(folder)} {told}\n")
    except (UsageError, OSError):
        return ""
    return sha256("".join(lines).encode()).hexdigest()

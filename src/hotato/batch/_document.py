"""The texts that calls are judged by, so that any process anywhere compiles the same plan from them alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

import msgspec

from hotato import packs
from hotato.context.files import MOST_CONFIG, read_text
from hotato.document.load import load
from hotato.document.reading import read, scan
from hotato.errors import DocumentError, Problem
from hotato.model import given
from hotato.plan.compile import Plan, compile_plan
from hotato.plan.resources import Resources


class Judged(msgspec.Struct, frozen=True):
    """What calls are judged by. `files` holds the text of each rule pack that the document names by its path.

    None as a setting leaves it to the document.
    """

    text: str
    file: str = ""
    packs: tuple[str, ...] = ()
    files: dict[str, str] = {}
    inconclusive_policy: str | None = None
    strict: bool | None = None
    join_segments: bool | None = None


def taken(
    text: str,
    file: str,
    packs: Sequence[str] = (),
    *,
    inconclusive_policy: str | None = None,
    strict: bool | None = None,
    join_segments: bool | None = None,
) -> tuple[Judged, Plan]:
    """Return a document with all that it rests on, and its plan. Raise DocumentError."""
    folder, found = os.path.dirname(file), {}

    def beside(path: str) -> str:
        found[path] = read_text(os.path.join(folder, path), most=MOST_CONFIG, error=DocumentError)
        return found[path]

    asked = Judged(
        text, file, given.names(packs, "packs", DocumentError), {}, inconclusive_policy, strict, join_segments
    )
    plan = _compiled(asked, Resources(beside))
    return msgspec.structs.replace(asked, files=dict(sorted(found.items()))), plan


def compiled(judged: Judged) -> Plan:
    """Return the plan. Raise DocumentError."""
    return _compiled(judged, Resources(judged.files.__getitem__))


def digest(judged: Judged) -> str:
    """Return the SHA-256 of all texts; where the document stands alone, that of its file."""
    if not judged.files and not judged.packs:
        return hashlib.sha256(judged.text.encode("utf-8", "surrogatepass")).hexdigest()
    whole = msgspec.json.encode([judged.text, judged.files, [packs.text("assertions", name) for name in judged.packs]])
    return hashlib.sha256(whole).hexdigest()


def _compiled(judged: Judged, resources: Resources) -> Plan:
    for name in judged.packs:
        if name not in packs.names("assertions"):
            said = f"no assertion pack is called '{name}'; there are {', '.join(packs.names('assertions'))}"
            raise DocumentError(Problem(code="unknown_pack", file="--pack", message=said))
    merged = [read(packs.text("assertions", name), f"{name}.yaml") for name in judged.packs]
    return compile_plan(
        load(scan(judged.text, judged.file), resources, merged, judged.file),
        resources,
        inconclusive_policy=judged.inconclusive_policy,
        strict=judged.strict,
        join_segments=judged.join_segments,
    )

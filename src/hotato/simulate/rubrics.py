"""The rubrics of a conversation test, read as the rubric lane reads them. Nothing here judges, and no verdict comes from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hotato.document.tree import Tree
from hotato.errors import DocumentError
from hotato.model.call import Call
from hotato.simulate import documents

if TYPE_CHECKING:
    from hotato.rubric.document import Rubric


def rubrics_of(tree: Tree) -> tuple[Rubric, ...]:
    """Return the rubrics of a test, none where it lists none. Raise DocumentError with everything that is wrong in them."""
    value = tree.value.get("assertions") if isinstance(tree.value, dict) else None
    listed = value.get("rubric") if isinstance(value, dict) else None
    if not isinstance(listed, list) or not listed:
        return ()
    from hotato.rubric.document import load

    try:
        return load(documents.Section(tree, "rubrics", listed, ("assertions", "rubric")))
    except DocumentError as error:
        raise DocumentError(
            replace(one, path="assertions.rubric" + one.path[7:]) if one.path.startswith("rubrics[") else one
            for one in error.problems
        ) from None


def input_of(rubric: Rubric, call: Call) -> str:
    """Return what a person's verdict of a call by a human rubric is bound to; empty where the evidence for it is missing."""
    from hotato.rubric.persons import input_sha256
    from hotato.rubric.prompt import shown

    evidence = shown(rubric, call)
    return "" if evidence is None or not evidence.lines else input_sha256(rubric, evidence)

"""The page around the parts: templates, one style, one script, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import jinja2

from hotato.report.html import _shown


def page(
    name: str, script: str, *, sounds: bool = False, more: Sequence[str] = (), styles: Sequence[str] = (), **parts: Any
) -> str:
    """Return a whole HTML page from a template and a script, with the policy that fits it.

    `sounds` lets it play. `more` names sections that bring a style and a script of their own,
    `styles` styles alone.
    """
    style = "".join(_file(f"static/{name}.css") for name in ("report", *styles))
    code = _file(f"static/{script}")
    for part in (*(("audio",) if sounds else ()), *more):
        style, code = style + _file(f"static/{part}.css"), code + _file(f"static/{part}.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(code)}'; img-src data:; "
        f"{'media-src data:; ' if sounds else ''}base-uri 'none'; form-action 'none'"
    )
    # Both files are ours and hold no `</`, so that they can stand in their elements as they are.
    return _templates().get_template(name).render(style=style, code=code, policy=policy, **parts)


@cache
def _file(name: str) -> str:
    return resources.files("hotato.report.html").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _tens(items: list[Any]) -> int:
    """Return a number of items rounded up to tens, for which the style guesses a height before they are drawn."""
    return -(-len(items) // 10) * 10


@cache
def _templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _file(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown.finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["words"] = _shown.words
    made.filters["named"] = _shown.named
    made.filters["tens"] = _tens
    return made

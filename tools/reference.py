"""What a kind's docstring says, taken apart: summary, one text a field, further prose, example."""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import cleandoc

import msgspec

from hotato.kinds import tag
from hotato.kinds._kind import Kind

_NAME = re.compile(r"`(\w+)`")
_NAMES = re.compile(r"`\w+`(?:(?:, | and )`\w+`)*")

SHARED = {
    "id": "The name of the assertion, unique in the document: ASCII letters, digits, `.`, `_` and `-`, at most 128.",
    "kind": "What is checked.",
    "dimension": "Copied onto the result; never a weight.",
    "when": "An id or a list of ids: unless each of these assertions PASSed, this one is skipped (INCONCLUSIVE).",
    "severity": "Your own label, copied onto the result.",
    "tags": "Your own labels, copied onto the result.",
    "description": "What the assertion is for, in your words.",
}


class Page(msgspec.Struct, frozen=True):
    """One kind's docstring. `fields` maps a field to its text, `prose` is Markdown, `example` YAML."""

    kind: str
    summary: str
    fields: dict[str, str]
    prose: str
    example: str


def read(kind: type[Kind]) -> Page:
    """Take a kind's docstring apart."""
    summary, _, rest = cleandoc(kind.__doc__ or "").partition("\n\n")
    body, _, fenced = rest.partition("```yaml\n")
    bullets: list[str] = []
    prose: list[str] = []
    inside = False
    for line in body.splitlines():
        if line.startswith("- "):
            bullets.append(line[2:])
            inside = True
        elif inside and line.startswith("  "):
            bullets[-1] += f" {line.strip()}"
        else:
            inside = False
            prose.append(line)
    fields = _texts(bullets, own_fields(kind))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(prose)).strip()
    return Page(tag(kind), " ".join(summary.split()), fields, text, fenced.partition("```")[0])


def _texts(bullets: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return the text of each field: its own bullet (`name`: text), else the one that begins with it or mentions it."""
    own: dict[str, str] = {}
    heads: dict[str, str] = {}
    mentions: dict[str, str] = {}
    for bullet in bullets:
        head, colon, text = bullet.partition(": ")
        if colon and _NAMES.fullmatch(head):
            own |= dict.fromkeys(_NAME.findall(head), text)
        heads = {**dict.fromkeys(_NAME.findall(head), bullet), **heads}
        mentions = {**dict.fromkeys(_NAME.findall(bullet), bullet), **mentions}
    found = {**mentions, **heads, **own}
    return {name: found[name] for name in known if name in found}


def own_fields(kind: type[Kind]) -> tuple[str, ...]:
    """Return the fields that a kind adds to those of every assertion, as documents write them."""
    return tuple(name for name in kind.__struct_encode_fields__ if name not in SHARED)

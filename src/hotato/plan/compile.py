"""From a checked document to a plan: every regex compiled, every reference resolved, in the order to judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from hotato import kinds
from hotato.document.load import Document
from hotato.errors import DocumentError, Problem
from hotato.kinds._kind import Check, Kind, Resources, Source
from hotato.model import codec, given
from hotato.model.verdict import POLICIES

_ITS_OWN = dict.fromkeys(("id", "when", "dimension", "severity", "tags", "description"))  # what no check looks at


class Node(msgspec.Struct, frozen=True):
    """One assertion, ready to judge. `stamp` is what every result of it begins with; `refs` are the ids it reads, `when` aside.

    `spec` is what it was compiled from.
    """

    id: str
    check: Check
    needs: tuple[Source, ...]
    rests_on: tuple[str, ...]
    when: tuple[str, ...]
    says: dict[str, str]
    veils: bool
    stamp: dict[str, Any]
    refs: tuple[str, ...] = ()
    spec: Kind | None = None


class Plan(msgspec.Struct, frozen=True):
    """A compiled document. `order` lists positions in `nodes` so that every reference is judged before its reader.

    `veils` says whether any of them may not have shown what it finds. A `plain` plan judges without any shortcut: slower,
    and with the same results.
    """

    nodes: tuple[Node, ...]
    order: tuple[int, ...]
    inconclusive_policy: str
    strict: bool
    join_segments: bool
    plain: bool = False
    veils: bool = False


def compile_plan(
    document: Document,
    resources: Resources,
    *,
    inconclusive_policy: str | None = None,
    strict: bool | None = None,
    join_segments: bool | None = None,
    plain: bool = False,
) -> Plan:
    """Compile a document. An argument beats the document's own setting, which beats the default.

    The defaults: policy `report`, not strict, segments of one speaker joined into utterances. Raise DocumentError, and
    UsageError for a setting of another type.
    """
    check_policy(inconclusive_policy)
    for name, setting in (("strict", strict), ("join_segments", join_segments)):
        if setting is not None:
            given.flag(setting, name)
    nodes = []
    compiled = [spec.compile(resources) for spec in document.specs] if plain else _checks(document.specs, resources)
    for place, (spec, when) in enumerate(zip(document.specs, document.when, strict=True)):
        stamp: dict[str, Any] = {"id": spec.id, "kind": kinds.tag(type(spec)), "status": None, "deterministic": True}
        for name in ("dimension", "severity", "description"):
            if getattr(spec, name) is not None:
                stamp[name] = getattr(spec, name)
        if spec.tags:
            stamp["tags"] = list(spec.tags)
        needs, refs = spec.needs(), tuple(spec.refs())
        nodes.append(
            Node(spec.id, compiled[place], needs, spec.rests_on(), when, spec.says, spec.veils, stamp, refs, spec)
        )
    return Plan(
        tuple(nodes),
        document.order,
        inconclusive_policy or document.inconclusive_policy or "report",
        _first(strict, document.strict, False),
        _first(join_segments, document.join_segments, True),
        plain,
        any(node.veils for node in nodes),
    )


def check_policy(policy: Any) -> None:
    """Refuse an inconclusive policy that does not exist; None is none given. Raise DocumentError."""
    if policy is None:
        return
    if given.typed(str, policy, "inconclusive_policy", f"one of {', '.join(POLICIES)}", DocumentError) not in POLICIES:
        said = f"unknown inconclusive_policy '{policy}'; allowed: {', '.join(POLICIES)}"
        raise DocumentError(Problem(code="value", file="inconclusive_policy", message=said))


def _checks(specs: Sequence[Kind], resources: Resources) -> list[Check]:
    """Return the check of each assertion; those that ask the very same share one, which looks at a call once."""
    asked = [codec.encode_bytes({**msgspec.to_builtins(spec), **_ITS_OWN}) for spec in specs]
    often = Counter(asked)
    made: dict[bytes, Check] = {}
    for spec, key in zip(specs, asked, strict=True):
        if key not in made:
            made[key] = spec.compile(resources) if often[key] == 1 else _once(spec.compile(resources))
    return [made[key] for key in asked]


def _once(check: Check) -> Check:
    return lambda evidence: evidence.once(check, lambda: check(evidence))


def _first(*settings: bool | None) -> bool:
    return next(setting for setting in settings if setting is not None)

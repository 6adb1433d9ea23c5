"""Show for each failed expectation the recorded call that comes nearest, over all assertions of a run at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from hotato.match.closest import Want, closest, shown
from hotato.match.evidence import Evidence
from hotato.match.values import Difference
from hotato.model.call import span_id

_LEAST_KNOWN = 6  # characters: a shorter value stands in many others by chance


def explain(wants: Sequence[tuple[Want, dict[str, Any], bool]]) -> None:
    """Put `closest` on each failed result. Expectations that passed take part, since their call is spoken for."""
    if not any(failed for _, _, failed in wants):
        return
    groups: dict[tuple[str, ...], list[tuple[Want, dict[str, Any], bool]]] = {}
    for item in wants:
        groups.setdefault(item[0].group, []).append(item)
    for group in groups.values():
        if any(failed for _, _, failed in group):
            near_to = _nearest([want for want, _, _ in group])
            for want, result, failed in group:
                near = near_to[want.expected.written]
                if failed and near is not None:
                    result["closest"] = {"span_id": span_id(near[0]), **shown(near[1])}


def _nearest(group: Sequence[Want]) -> dict[str, tuple[int, list[Difference]] | None]:
    """Return what is closest to each expectation, by its text; equal expectations are one.

    They are paired in the order of their texts, so that a tie is settled neither by ids nor by the order of the document.
    """
    distinct = {want.expected.written: want for want in group}
    texts = sorted(distinct)
    return dict(zip(texts, closest([distinct[text] for text in texts]), strict=True))


def veil(results: Sequence[dict[str, Any]], evidence: Evidence) -> None:
    """Mask personal data in the recorded and expected values that results show.

    A document that looks for personal data must not have an explanation of another check repeat what was found: neither
    what is found in a value itself, nor what was found in the turns, where nothing beside the value tells what it is.
    """
    shown = [(result, name) for result in results for name in ("closest", "delta") if name in result]
    if not shown:
        return
    from hotato.match.pii import in_call, plain

    heard = {plain(hit.value) for hit in in_call(evidence)}
    masked = _masker(frozenset(value for value in heard if len(value) >= _LEAST_KNOWN))
    for result, name in shown:
        result[name] = _veiled(result[name], masked)


def _veiled(value: Any, masked: Callable[[str], str]) -> Any:
    kind = type(value)
    if kind is str:
        return masked(value)
    if kind is dict:
        return {masked(key): _veiled(inner, masked) for key, inner in value.items()}
    if kind is list:
        return [_veiled(inner, masked) for inner in value]
    if kind is int or kind is float:
        from hotato.match.pii import MASK

        written = str(value)
        return value if masked(written) == written else MASK
    return value


def _masker(known: frozenset[str]) -> Callable[[str], str]:
    """Return what masks a text, each text once: all of it where it holds a known value."""
    from hotato.match.pii import MASK, plain, redact_text

    @cache
    def masked(text: str) -> str:
        if known and (len(text) >= _LEAST_KNOWN or not text.isascii()):
            said = plain(text)
            if any(value in said for value in known):
                return MASK
        return redact_text(text)

    return masked

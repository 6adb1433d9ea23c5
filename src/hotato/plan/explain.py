"""Show for each failed expectation the recorded call that comes nearest, over all assertions of a run at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hotato.match.closest import Want, closest, shown
from hotato.model.call import span_id


def explain(wants: Sequence[tuple[Want, dict[str, Any], bool]]) -> None:
    """Put `closest` on each failed result. Expectations that passed take part, since their call is spoken for."""
    if not any(failed for _, _, failed in wants):
        return
    groups: dict[tuple[str, ...], list[tuple[Want, dict[str, Any], bool]]] = {}
    for item in wants:
        groups.setdefault(item[0].group, []).append(item)
    for group in groups.values():
        if any(failed for _, _, failed in group):
            found = closest([want for want, _, _ in group])
            for (_, result, failed), near in zip(group, found, strict=True):
                if failed and near is not None:
                    result["closest"] = {"span_id": span_id(near[0]), **shown(near[1])}


def veil(results: Sequence[dict[str, Any]]) -> None:
    """Mask personal data in the recorded and expected values that results show.

    A document that looks for personal data must not have an explanation of another check repeat what was found.
    """
    for result in results:
        for name in ("closest", "delta"):
            if name in result:
                result[name] = _veiled(result[name])


def _veiled(value: Any) -> Any:
    from hotato.match.pii import MASK, redact_text

    if type(value) is dict:
        return {redact_text(key): _veiled(inner) for key, inner in value.items()}
    if type(value) is list:
        return [_veiled(inner) for inner in value]
    if type(value) is str:
        return redact_text(value)
    return MASK if type(value) in (int, float) and redact_text(str(value)) != str(value) else value

"""Who speaks: a source's labels for the parties as `agent`, `caller` or another role, and the turns of a call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from hotato.importers._importer import Note, Options
from hotato.importers._notes import Lost
from hotato.match.text import fold_role

MOST_LABELS, MOST_LABEL = 8, 40
_FEWEST_DIGITS = 5  # of a number that can be anybody's; SPEAKER_00 has two
UNKNOWN = "unknown"


class Turns:
    """The turns of one call, in the order in which they are added.

    `known` gives the source's labels for speakers. A user's map goes before it; a label that neither knows stays as it is
    and is noted, unless it names a party in so many words.
    """

    def __init__(self, known: Mapping[str, str], options: Options, lost: Lost) -> None:
        self._known, self._mapped, self._lost = known, options.roles, lost
        self._heard: dict[str, int] = {}
        self.turns: list[dict[str, Any]] = []

    def role(self, label: str) -> str:
        """Return the role of a label."""
        if label in self._mapped:
            return fold_role(self._mapped[label])
        return self._known.get(label) or fold_role(label)

    def add(
        self,
        label: str,
        text: str,
        start: float | None = None,
        end: float | None = None,
        *,
        interrupted: bool | None = None,
        planned: str | None = None,
        **extra: Any,
    ) -> dict[str, Any] | None:
        """Add a turn; return it, or None where it has no text.

        `planned` is what the agent meant to say where it was cut off, `interrupted` whether it was.
        """
        label = label if label.strip() else UNKNOWN
        self._heard[label] = self._heard.get(label, 0) + 1
        if not text.strip() and not (planned or "").strip():
            self._lost["turns_empty"] += 1
            return None
        turn: dict[str, Any] = {"role": self.role(label), "text": text.strip()}
        if start is not None:
            turn["start"] = start
        if end is not None and start is not None and end < start:
            self._lost["end_before_start"] += 1
        elif end is not None:
            turn["end"] = end
        if interrupted:
            turn["interrupted"] = True
        if planned is not None and planned.strip() and planned.strip() != text.strip():
            turn["planned_text"] = planned.strip()
            self._lost["planned_text_unspoken"] += 1
        turn.update({key: value for key, value in extra.items() if value is not None})
        self.turns.append(turn)
        return turn

    def notes(self) -> list[Note]:
        """Return what there is to say of labels that nobody knows, and of mapped ones that do not occur."""
        unknown = {
            label: count
            for label, count in self._heard.items()
            if label not in self._mapped and label not in self._known and fold_role(label) not in ("agent", "caller")
        }
        return [*unlabelled(unknown), *unused(self._mapped, self._heard)]


def unlabelled(unknown: Mapping[str, int]) -> list[Note]:
    """Return what there is to say of labels that are of neither party; with each, how many turns have it."""
    if not unknown:
        return []
    labels = [shown(label) for label in list(unknown)[:MOST_LABELS]]
    remedy = f"--map-role {labels[0]}=agent says who one is"
    said = f"speakers are labelled in a way that is not known ({', '.join(labels)}); {remedy}"
    return [Note("roles_unknown", said, sum(unknown.values()))]


def unused(mapped: Iterable[str], heard: Collection[str]) -> list[Note]:
    """Return what there is to say of the labels that a user mapped and that no speaker of the source has."""
    idle = [label for label in mapped if label not in heard]
    if not idle:
        return []
    listed = ", ".join(label[:MOST_LABEL] for label in idle[:MOST_LABELS])
    return [Note("role_map_unused", f"no speaker of the source is labelled as mapped ({listed})", len(idle))]


def shown(label: str) -> str:
    """Return a label as a note may show it: cut where it is long, and masked where it is somebody's number or address."""
    if "@" in label or sum(char.isdigit() for char in label) >= _FEWEST_DIGITS:
        from hotato.match.pii import redact_text

        label = redact_text(label)
    return label[:MOST_LABEL]

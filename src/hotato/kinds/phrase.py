"""The `phrase` kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from hotato.kinds._kind import Check, Kind, Regex, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.regex import Pattern
from hotato.match.text import fold_role
from hotato.match.turns import Lane
from hotato.model.call import Turn
from hotato.model.fault import Fault
from hotato.model.verdict import Verdict, breaks, holds


class Phrase(Kind, frozen=True, kw_only=True, tag="phrase"):
    """A regex is found in what was said or, with `absent`, is found nowhere.

    - `regex`: searched in each utterance; case is ignored unless `case_sensitive`.
    - `role`: only what this party said (`agent`, `caller`, or another role of the transcript).
    - `position`: `first` or `last` looks at that party's first or last utterance alone; default `any`.
    - `absent`: true turns the check round: no utterance may match.
    - `spoken`: true looks for the pattern in the spoken readings as well, where numbers, money, dates and spelt codes that
      were said as words are figures: "four forty two" is `442`, "forty two dollars and ten cents" `$42.10`.
    - `language`: the language of these readings; default `english`.

    Where the party said nothing at all the check FAILs; with `absent` it PASSes and says `vacuous: true`.
    `turn` is the position in the transcript at which the match starts.

    ```yaml
    - id: recording-disclosed
      kind: phrase
      regex: recorded for (quality|training)
      role: agent
      position: first
    ```
    """

    regex: Regex
    role: Text | None = None
    position: Literal["any", "first", "last"] = "any"
    absent: bool = False
    case_sensitive: bool = False
    spoken: bool = False
    language: Text | None = None

    family = "core"
    reads = ("transcript",)
    says = {
        "matched": "{whose} turn {turn} matches",
        "not_matched": "no {whose} turn matches the pattern (turns searched: {count})",
        "no_turn": "there is no {whose} turn in the transcript",
        "absent": "no {whose} turn matches, as it must be (turns searched: {count})",
        "present": "{whose} turn {turn} matches a pattern that must be absent",
    }
    shows = ("turn",)
    regexes = ("regex",)

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield what is wrong beyond the types."""
        yield from super().faults(resources)
        if self.language is not None:
            from hotato.match.heard import language_faults  # the readers of speech load when they are wanted

            yield from language_faults(self.language, self.spoken)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        pattern = resources.pattern(self.regex, case_sensitive=self.case_sensitive)
        role = None if self.role is None else fold_role(self.role)
        whose = role or "recorded"
        absent, position = self.absent, self.position
        find = Lane.first if not self.spoken else _reader(self.language)

        def check(evidence: Evidence) -> Verdict:
            spoken = evidence.transcript
            lane = spoken.lane(role) if position == "any" else spoken.edge(role, last=position == "last")
            turn, count = find(lane, pattern), len(lane)
            if turn is not None:
                tell = breaks if absent else holds
                said = {"whose": whose, "turn": turn.index}
                return tell("present" if absent else "matched", exercised=count, fields={"turn": turn.index}, **said)
            if absent:
                return holds("absent", exercised=count, count=count, whose=whose)
            if not count:
                return breaks("no_turn", exercised=0, whose=whose)
            return breaks("not_matched", exercised=count, count=count, whose=whose)

        return check


def _reader(name: str | None) -> Callable[[Lane, Pattern], Turn | None]:
    from hotato.match.heard import reader_of

    return reader_of(name)

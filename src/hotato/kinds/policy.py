"""The `policy` kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from hotato.errors import DocumentError
from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.text import fold_role
from hotato.model.fault import Fault
from hotato.model.pack import Pack
from hotato.model.verdict import Verdict, breaks, holds


class Policy(Kind, frozen=True, kw_only=True, tag="policy"):
    """Every rule of a rule pack holds: nothing banned was said and every required disclosure was.

    - `pack`: a bundled rule pack by name; `default` where neither `pack` nor `pack_path` is given.
    - `pack_path`: a rule pack of your own, a JSON or YAML file.
    - `rule_ids`: only these rules of the pack.

    A `banned` rule must match no turn, a `required_disclosure` rule at least one, each among the turns of the rule's
    `role`, if it has one. `matched_rules` lists the broken rules in the order of the pack; `turn` is the position in the
    transcript of the first match of a banned rule, and null for a disclosure that is missing.

    ```yaml
    - id: house-rules
      kind: policy
      rule_ids: [no-profanity, recording-disclosure]
    ```
    """

    pack: Text | None = None
    pack_path: Text | None = None
    rule_ids: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)] | None = None

    family = "core"
    reads = ("transcript",)
    says = {
        "clean": "all {count} rules of pack {pack} hold over {turns} turns",
        "broken": "{broken} of {count} rules of pack {pack} broken over {turns} turns: {rules}",
    }
    shows = ("pack", "matched_rules")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield what is wrong: both packs, a pack that cannot be had, rules that it does not hold."""
        yield from super().faults(resources)
        if self.pack is not None and self.pack_path is not None:
            yield Fault(("pack_path",), "exclusive_fields", "needs at most one of pack and pack_path; found both")
            return
        try:
            pack = self._pack(resources)
        except DocumentError as error:
            yield from self._refusal(error)
            return
        known = tuple(rule.id for rule in pack.rules)
        seen: set[str] = set()
        for place, rule in enumerate(self.rule_ids or ()):
            if rule in seen:
                yield Fault(("rule_ids", place), "duplicate_item", f"rule '{rule}' is named twice")
            elif rule not in known:
                said = f"pack '{pack.name}' has no rule '{rule}'"
                yield Fault(("rule_ids", place), "unknown_rule", said, found=rule, allowed=known)
            seen.add(rule)

    def _refusal(self, error: DocumentError) -> Iterator[Fault]:
        for problem in error.problems:
            if self.pack_path is None:
                allowed = (problem.guess,) if problem.guess else ()
                yield Fault(("pack",), "unknown_pack", problem.message, found=self.pack or "default", allowed=allowed)
            else:  # the pack's own file has lines and columns: keep them in the words
                yield Fault(("pack_path",), problem.code, str(problem))

    def _pack(self, resources: Resources) -> Pack:
        return resources.pack(None if self.pack_path is not None else self.pack or "default", self.pack_path)

    def compile(self, resources: Resources) -> Check:
        """Return the check."""
        pack = self._pack(resources)
        rules = [
            (
                rule,
                resources.pattern(rule.regex, case_sensitive=rule.case_sensitive),
                rule.role and fold_role(rule.role),
            )
            for rule in pack.rules
            if self.rule_ids is None or rule.id in self.rule_ids
        ]
        roles = sorted({role for _, _, role in rules if role})
        everybody = any(role is None for _, _, role in rules)
        shown = {"name": pack.name, "version": pack.version}

        def check(evidence: Evidence) -> Verdict:
            spoken = evidence.transcript
            broken: list[dict[str, Any]] = []
            for rule, pattern, role in rules:
                turn = spoken.lane(role).first(pattern)
                if rule.type == "banned" and turn is not None:
                    broken.append({"rule": rule.id, "type": "banned", "turn": turn.index})
                elif rule.type == "required_disclosure" and turn is None:
                    broken.append({"rule": rule.id, "type": "required_disclosure_missing", "turn": None})
            turns = len(spoken.lane(None)) if everybody else sum(len(spoken.lane(role)) for role in roles)
            facts = {"count": len(rules), "pack": pack.name, "turns": turns}
            if not broken:
                return holds("clean", exercised=turns, fields={"pack": shown}, **facts)
            named = ", ".join(item["rule"] for item in broken)
            fields = {"pack": shown, "matched_rules": broken}
            return breaks("broken", exercised=turns, fields=fields, broken=len(broken), rules=named, **facts)

        return check

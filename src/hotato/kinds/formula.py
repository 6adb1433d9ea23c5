"""The `formula` kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hotato.kinds._kind import Check, Kind, Resources, Text
from hotato.match.evidence import Evidence
from hotato.match.formula import FormulaError, parse
from hotato.model.fault import Fault
from hotato.model.verdict import FAIL, INCONCLUSIVE, PASS, Verdict, breaks, holds, unsettled


class Formula(Kind, frozen=True, kw_only=True, tag="formula"):
    """A verdict made of other assertions' verdicts.

    - `expr`: `and`, `or`, `not` and parentheses over assertion ids, and weighted sums compared with a number:
      `0.6*a + 0.4*b >= 0.5` (`>=`, `>`, `<=`, `<`, `==`; a bare id weighs 1). Numbers are exact decimals. An id that
      does not begin with a letter or `_`, or that is `and`, `or` or `not`, is written in double quotes.

    A PASS is true, a FAIL is false. A reference that is INCONCLUSIVE makes the formula INCONCLUSIVE, whatever the others
    are. Unknown ids, self-references and cycles are refused before anything runs. `met` of `of` references passed.

    ```yaml
    - id: happy-path
      kind: formula
      expr: refund-issued and (confirmation-said or identity-verified)
    ```
    """

    expr: Text

    family = "composite"
    says = {
        "true": "{met} of {of} references passed",
        "false": "{met} of {of} references passed; passed: {passed}; did not: {failed}",
        "inconclusive_reference": "INCONCLUSIVE: {unsettled}",
    }
    shows = ("refs", "met", "of")

    def faults(self, resources: Resources) -> Iterator[Fault]:
        """Yield all that is wrong beyond types."""
        yield from super().faults(resources)
        try:
            parse(self.expr)
        except FormulaError as error:
            yield Fault(("expr",), "formula_syntax", str(error))

    def refs(self) -> Sequence[str]:
        """Return the ids in the expression, in the order of their first mention."""
        try:
            return parse(self.expr).refs
        except FormulaError:
            return ()

    def compile(self, resources: Resources) -> Check:  # noqa: ARG002
        """Return the check."""
        formula = parse(self.expr)
        refs, of = list(formula.refs), len(formula.refs)

        def check(evidence: Evidence) -> Verdict:
            statuses = evidence.statuses
            passed = [ref for ref in refs if statuses[ref] == PASS]
            fields = {"refs": refs, "met": len(passed), "of": of}
            open_ = [ref for ref in refs if statuses[ref] == INCONCLUSIVE]
            if open_:
                return unsettled("inconclusive_reference", fields=fields, unsettled=", ".join(open_))
            facts = {"met": len(passed), "of": of}
            if formula.holds(frozenset(passed)):
                return holds("true", exercised=of, fields=fields, **facts)
            failed = ", ".join(ref for ref in refs if statuses[ref] == FAIL) or "none"
            return breaks(
                "false", exercised=of, fields=fields, passed=", ".join(passed) or "none", failed=failed, **facts
            )

        return check

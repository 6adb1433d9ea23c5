"""Case files as pytest's collectors and items. Imported when the first case file is collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hotato.assert_ import compile_assertions, judge_call
from hotato.cli._case import call_of, read_case
from hotato.context.files import MOST_CONFIG, read_text
from hotato.core import verify_bundle
from hotato.errors import DocumentError, HotatoError, UsageError
from hotato.plan.text import explanation, safe
from hotato.report._places import in_document

if TYPE_CHECKING:
    from hotato.cli._case import Evidence
    from hotato.plan.compile import Plan


class CaseFile(pytest.File):
    """A case file. Its call is judged once, when the first of its assertions runs."""

    _plan: Plan
    _evidence: Evidence
    _results: dict[str, dict[str, Any]] | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each assertion, in the order of the document."""
        file = str(self.path)
        try:
            tree, self._evidence = read_case(read_text(file, most=MOST_CONFIG, error=DocumentError), file)
            self._plan = compile_assertions(tree, file=file, verify_bundle=verify_bundle)
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        places = in_document(tree, file)
        for node in self._plan.nodes:
            item: CaseItem = CaseItem.from_parent(self, name=node.id)
            item.line = places[node.id].line if node.id in places else 0
            yield item

    def result(self, ident: str) -> dict[str, Any]:
        """Return the result of an assertion. Raise EvidenceError where the evidence is refused."""
        if self._results is None:
            envelope = judge_call(self._plan, call_of(self._evidence, str(self.path.parent)))
            self._results = {result["id"]: result for result in envelope["results"]}
        return self._results[ident]

    @property
    def policy(self) -> str:
        """Return what an INCONCLUSIVE is: `report` (skipped), `fail` (failed) or `refuse` (an error)."""
        return self._plan.inconclusive_policy


class NotPassedError(Exception):
    """An assertion that did not pass, explained."""


class CaseItem(pytest.Item):
    """One assertion of a case file."""

    parent: CaseFile
    line: int

    def setup(self) -> None:
        """Judge the call; evidence that is refused and a verdict that the policy withholds are errors, not failures."""
        try:
            result = self.parent.result(self.name)
        except HotatoError as error:
            # pytest asks repr_failure of failures alone; the traceback of an error would show arguments: the call itself
            refused = str(error)
        else:
            refused = self._told(result) if result["status"] == "INCONCLUSIVE" and self._policy == "refuse" else ""
        if refused:
            pytest.fail(refused, pytrace=False)

    def runtest(self) -> None:
        """Fail or skip as the verdict is."""
        result = self.parent.result(self.name)
        if result.get("vacuous"):
            self.add_report_section("call", "hotato", self._told(result))
        if result["status"] == "FAIL" or (result["status"] == "INCONCLUSIVE" and self._policy == "fail"):
            raise NotPassedError(self._told(result))
        if result["status"] == "INCONCLUSIVE":
            pytest.skip(self._told(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what was found; what hotato itself raises as its message, anything else with its traceback."""
        if isinstance(excinfo.value, (NotPassedError, HotatoError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the assertion is written; lines count from 0 here."""
        return self.path, self.line - 1 if self.line else None, self.name

    @property
    def _policy(self) -> str:
        return self.parent.policy

    def _told(self, result: Mapping[str, Any]) -> str:
        head = f"{result['status']} {result['id']} ({result['kind']})"
        place = f"{self.path.name}:{self.line}" if self.line else self.path.name  # pytest's headings leave the file out
        return "\n".join([head, *(f"  {safe(line)}" for line in [*explanation(result), place])])

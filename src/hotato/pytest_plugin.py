"""hotato in pytest: a fixture that judges a call, and case files (`*.hotato.yaml`) as tests, one for each assertion.

    def test_refund(hotato):
        hotato.check(assertions="refund.yaml", transcript="transcript.json", trace="voice_trace.jsonl")

pytest imports this file in every run of an environment that has hotato, so it imports nothing of hotato's and reads
nothing until a test asks for the fixture or a case file is collected.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from hotato.plan.compile import Plan


class HotatoWarning(UserWarning):
    """A check passed although some of its assertions could not be judged."""


@pytest.fixture
def hotato(request: pytest.FixtureRequest) -> Checker:
    """Judge calls against assertions; paths start at the folder of the test's file."""
    return Checker(str(request.path.parent))


class Checker:
    """What the fixture `hotato` is. `folder` is where relative paths start."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def check(
        self,
        *,
        assertions: Any,
        transcript: Any = None,
        trace: Any = None,
        call: Any = None,
        state: Any = None,
        timing: Any = None,
        packs: Sequence[str] = (),
        inconclusive_policy: str | None = None,
        strict: bool | None = None,
        join_segments: bool | None = None,
        capture_complete: bool = False,
    ) -> dict[str, Any]:
        """Judge a call and return the envelope; fail the test, with every failure explained, where it is not 0.

        - `assertions`: the path of a document, a document in hand, or a list of assertions.
        - `transcript`: a path, or a list of `{role, text, start, end}`. `trace`: a path, or a list of spans. `call`: the
          path of a call in any format that is known, or a context from `build_context`.
        - `state`: a path, a mapping of rows, or an adapter. `timing`: a path, or the envelope of a scored run.
        - the rest as `hotato assert run` takes it.

        Where assertions are INCONCLUSIVE and the policy is `report`, the check passes with a HotatoWarning.
        Raise UsageError where a document or evidence is refused, InternalError for a defect of hotato.
        """
        __tracebackhide__ = True
        from hotato import assert_ as judge
        from hotato.cli._case import joined
        from hotato.errors import HotatoError

        settings: dict[str, Any] = {
            "packs": packs,
            "inconclusive_policy": inconclusive_policy,
            "strict": strict,
            "join_segments": join_segments,
        }
        try:
            plan = self._plan(assertions, settings)
            parts = [part for part in self._parts(call, transcript, trace, capture_complete) if part is not None]
            context = joined(parts, state=self._placed(state), timing=self._placed(timing))
            envelope = judge.judge_call(plan, context)
        except HotatoError as error:
            # of interest is which line of the test asked for it; hotato's own lines would show the call in their arguments
            raise error.with_traceback(None) from None
        if envelope["exit_code"]:
            pytest.fail(f"hotato:\n{judge.render_run_text(envelope)}", pytrace=False)
        open_ = [result["id"] for result in envelope["results"] if result["status"] == "INCONCLUSIVE"]
        if open_:
            import warnings

            warnings.warn(f"not judged: {', '.join(open_)}", HotatoWarning, stacklevel=2)
        return envelope

    def _plan(self, assertions: Any, settings: Mapping[str, Any]) -> Plan:
        from hotato import assert_ as judge
        from hotato.core import verify_bundle

        if isinstance(assertions, (str, os.PathLike)):
            from hotato.context.files import MOST_CONFIG, read_text
            from hotato.errors import DocumentError

            path = os.path.join(self.folder, os.fspath(assertions))
            text = read_text(path, most=MOST_CONFIG, error=DocumentError)
            return judge.compile_assertions(text, file=path, verify_bundle=verify_bundle, **settings)
        if isinstance(assertions, (list, tuple)):
            assertions = {"version": 1, "assertions": list(assertions)}
        file = os.path.join(self.folder, "assertions")
        return judge.compile_assertions(assertions, file=file, verify_bundle=verify_bundle, **settings)

    def _parts(self, call: Any, transcript: Any, trace: Any, complete: bool) -> Iterator[Any]:
        from hotato import assert_ as judge
        from hotato.cli import _evidence
        from hotato.model import given

        given.flag(complete, "capture_complete")
        if isinstance(call, (str, os.PathLike)):
            from hotato.importers import Options

            yield _evidence.call(self._placed(call), None, Options(), capture_complete=complete)
        else:
            yield call
        if isinstance(transcript, (str, os.PathLike)):
            yield _evidence.transcript(self._placed(transcript))
        elif transcript is not None:
            yield judge.build_context(transcript=transcript)
        if isinstance(trace, (str, os.PathLike)):
            yield _evidence.trace(self._placed(trace), capture_complete=complete)
        elif trace is not None:
            yield judge.build_context(spans=trace, capture_complete=complete)

    def _placed(self, value: Any) -> Any:
        return os.path.join(self.folder, os.fspath(value)) if isinstance(value, (str, os.PathLike)) else value


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: an assertions document that names its evidence, in a file `*.hotato.yaml`."""
    if not file_path.name.endswith((".hotato.yaml", ".hotato.yml")):
        return None
    from hotato.cli._pytest_case import CaseFile

    found: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
    return found

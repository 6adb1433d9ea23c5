"""The facade of the reports: what it refuses, writes and masks; the flags of the command line that make reports."""

from __future__ import annotations

import copy
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato import report
from hotato.cli import main
from hotato.errors import UsageError

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "conformance" / "envelopes" / "refund-call"
HOSTILE = ROOT / "conformance" / "report" / "inputs" / "hostile"
ENVELOPE: dict[str, Any] = json.loads((REFUND / "envelope.json").read_text())
RUN = ("assert", "run", "--assertions", "assertions.yaml", "--transcript", "transcript.json")
RUN = (*RUN, "--trace", "voice_trace.jsonl", "--state", "state.json")
ENDS = {
    "out.html": "html",
    "OUT.HTM": "html",
    "a.md": "md",
    "a.xml": "junit",
    "a.sarif": "sarif",
    "a.sarif.json": "sarif",
}
ENDS |= {"a.tap": "tap", "a.txt": "text", "a.json": "json"}


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a call, its document and its envelope."""
    shutil.copytree(REFUND, tmp_path / "call")
    monkeypatch.chdir(tmp_path / "call")
    return tmp_path / "call"


def spoilt(change: Callable[[Any], Any]) -> Any:
    envelope = copy.deepcopy(ENVELOPE)
    change(envelope)
    return envelope


# envelopes that are none ----------------------------------------------------------------------------------------------

SPOILT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a count that is not so": (lambda e: e["summary"]["deterministic"].update({"pass": 11, "fail": 0}), "counts"),
    "a green exit code over failures": (lambda e: e.update(exit_code=0), "exit_code"),
    "a status that is none": (lambda e: e["results"][0].update(status="OK"), "results[0].status"),
    "a field that is none": (lambda e: e["results"][1].update(passed=True), "results[1].passed"),
    "a score": (lambda e: e.update(overall_score=1), "overall_score"),
    "a score in the summary": (lambda e: e["summary"].update(overall_score=1), "summary.overall_score"),
    "a model's verdict among the others": (lambda e: e["results"][0].update(deterministic=False), "results[0].deter"),
    "no schema": (lambda e: e.pop("schema"), "schema"),
    "no results": (lambda e: e.pop("results"), "results"),
    "a result without a reason code": (lambda e: e["results"][0].pop("code"), "results[0]"),
    "a policy that is none": (lambda e: e.update(inconclusive_policy="ignore"), "inconclusive_policy"),
    "a turn that is no number": (lambda e: e["results"][5].update(turn="5"), "results[5].turn"),
    "a deep unknown field": (lambda e: e["results"][1]["closest"]["differences"][0].update(x=1), "differences[0].x"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_malformed_envelope_is_refused_with_its_path_before_anything_is_written(name: str, tmp_path: Path) -> None:
    change, said = SPOILT[name]
    for argument in ("assertions", "base"):
        given = {"assertions": ENVELOPE, argument: spoilt(change)}
        with pytest.raises(ValueError, match="envelope") as caught:
            report.write_report(tmp_path / "out.md", **given)
        assert said in str(caught.value)
        assert str(caught.value).startswith(argument)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [[], "x", 1, None, {}])
def test_what_is_no_mapping_is_no_envelope(value: Any) -> None:
    with pytest.raises(UsageError):
        report.build_report("junit", assertions=value)


@pytest.mark.parametrize(
    "rubric",
    [
        {"schema": "assert.v1", "results": []},
        {"schema": "rubric.v1"},
        {"schema": "rubric.v1", "results": [{"id": "a", "status": "PASS", "deterministic": True}]},
        {"schema": "rubric.v1", "results": [{"id": "a", "status": "FINE", "deterministic": False}]},
        {"schema": "rubric.v1", "results": [], "overall_score": 1},
    ],
)
def test_a_model_s_envelope_that_claims_more_is_refused(rubric: Any) -> None:
    with pytest.raises(UsageError, match=r"rubric\.v1"):
        report.build_report_md(assertions=ENVELOPE, rubric=rubric)


def test_every_golden_envelope_is_one() -> None:
    for file in sorted((ROOT / "conformance").rglob("envelope.json")):
        assert report.build_report("json", assertions=json.loads(file.read_text())) == file.read_text()


# the facade -----------------------------------------------------------------------------------------------------------


def test_a_report_without_assertions_is_that_of_one_that_never_knew_them() -> None:
    for build in (report.build_report_md, report.build_report_html):
        assert build(suite="barge-in") == build(suite="barge-in", assertions=None)
        assert "Deterministic" not in build(suite="barge-in")[0]


def test_a_report_is_made_of_an_envelope_alone_and_nothing_was_scored() -> None:
    text, scored = report.build_report_md(suite="barge-in", assertions=ENVELOPE)
    assert text.startswith("# barge-in\n")
    assert scored is None


def test_a_verdict_of_a_model_changes_no_count() -> None:
    rubric = {"schema": "rubric.v1", "results": [{"id": "polite", "status": "FAIL", "deterministic": False}]}
    with_it, without = (report.build_report_md(assertions=ENVELOPE, rubric=r)[0] for r in (rubric, None))
    assert "**7 deterministic pass / 4 fail** &nbsp; 1 judge-scored (advisory)" in with_it
    assert "**7 deterministic pass / 4 fail** &nbsp; 0 judge-scored (advisory)" in without
    junit = [report.build_report("junit", assertions=ENVELOPE, rubric=r) for r in (rubric, None)]
    assert junit[0] == junit[1].replace("0 judge-scored", "1 judge-scored")


@pytest.mark.parametrize("name", ENDS)
def test_the_name_tells_the_format(name: str, tmp_path: Path) -> None:
    path = report.write_report(tmp_path / name, assertions=ENVELOPE)
    assert Path(path).read_text(encoding="utf-8") == report.build_report(ENDS[name], assertions=ENVELOPE)


def test_a_name_that_tells_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tells no format"):
        report.write_report(tmp_path / "report", assertions=ENVELOPE)
    report.write_report(tmp_path / "report", format="tap", assertions=ENVELOPE)
    with pytest.raises(UsageError, match="'tapp' is not among"):
        report.write_report(tmp_path / "other", format="tapp", assertions=ENVELOPE)
    assert [file.name for file in tmp_path.iterdir()] == ["report"]


def test_a_report_that_exists_is_overwritten_by_force_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        report.write_report(file, assertions=ENVELOPE)
    assert file.read_text() == "mine"
    report.write_report(file, assertions=ENVELOPE, force=True)
    assert file.read_text().startswith("# Assertions")


def test_an_argument_that_a_report_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="transcrpt"):
        report.build_report("md", assertions=ENVELOPE, transcrpt=[])


@pytest.mark.parametrize("form", report.FORMATS)
def test_personal_data_is_masked_in_every_report_of_a_document_that_looks_for_it(form: str) -> None:
    read = {name: json.loads((HOSTILE / f"{name}.json").read_text()) for name in ("envelope", "base", "rubric")}
    text = report.build_report(
        form,
        assertions=read["envelope"],
        base=read["base"],
        rubric=read["rubric"],
        transcript=HOSTILE / "transcript.json",
        trace=HOSTILE / "voice_trace.jsonl",
    )
    assert "jane.roe" not in text
    if form in ("html", "md"):
        assert "[REDACTED]" in text.replace("\\", "")


def test_the_view_says_where_personal_data_was_said() -> None:
    envelope = json.loads((HOSTILE / "envelope.json").read_text())
    shown = report.view_of(
        assertions=envelope, transcript=HOSTILE / "transcript.json", trace=HOSTILE / "voice_trace.jsonl"
    )
    assert shown.masked
    assert shown.muted == (0,)
    assert "jane.roe" not in repr(shown)
    plain = report.view_of(assertions=ENVELOPE, transcript=HOSTILE / "transcript.json")
    assert not plain.masked
    assert plain.transcript is not None
    assert "jane.roe" in plain.transcript[0]["text"]


def test_turns_and_spans_in_hand_are_shown_as_their_files_are() -> None:
    context = A.build_context(transcript_path=REFUND / "transcript.json", trace_path=REFUND / "voice_trace.jsonl")
    in_hand = report.view_of(assertions=ENVELOPE, transcript=context.transcript, trace=context.spans)
    by_path = report.view_of(
        assertions=ENVELOPE, transcript=REFUND / "transcript.json", trace=REFUND / "voice_trace.jsonl"
    )
    assert (in_hand.transcript, in_hand.spans) == (by_path.transcript, by_path.spans)
    assert by_path.spans_at is not None
    assert [place.line for place in by_path.spans_at] == [2, 3, 4]
    assert by_path.turns_at is not None
    assert [place.line for place in by_path.turns_at] == [2, 3, 4, 5, 6, 7]


def test_importing_the_facade_brings_in_no_renderer() -> None:
    code = "import sys, hotato.report; print(*sorted(m for m in sys.modules if m.startswith('hotato')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["hotato", "hotato.report"]


# assert run -----------------------------------------------------------------------------------------------------------


def test_a_run_writes_every_report_that_is_asked_for(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = [f"--report={form}=out.{form}" for form in report.FORMATS]
    assert main([*RUN, *asked, "--out", "e.json"]) == 1
    assert capfd.readouterr().err == ""
    assert {path.name for path in call.glob("out.*")} == {f"out.{form}" for form in report.FORMATS}
    assert json.loads((call / "out.json").read_text()) == ENVELOPE
    assert 'file="assertions.yaml" line="8"' in (call / "out.junit").read_text()


@pytest.mark.parametrize("form", ["github", "junit", "md", "sarif", "tap"])
def test_a_run_prints_a_report(form: str, call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, "--format", form, f"--report={form}=out"]) == 1
    assert capfd.readouterr().out == (call / "out").read_text()


def test_no_report_is_written_where_one_exists(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (call / "b.md").write_text("mine")
    asked = ["--report", "junit=a.xml", "--report", "md=b.md", "--out", "e.json"]
    assert main([*RUN, *asked]) == 2
    assert capfd.readouterr() == ("", "b.md: exists already; --force overwrites it\n")
    assert not (call / "a.xml").exists()
    assert not (call / "e.json").exists()
    assert main([*RUN, *asked, "--force"]) == 1
    assert (call / "b.md").read_text() != "mine"


REFUSED = {
    ("--report", "junt=a.xml"): "(did you mean 'junit'?)",
    ("--report", "junit"): "needs FORMAT=PATH",
    ("--report", "junit="): "needs FORMAT=PATH",
    ("--report", "junit=-"): "--format writes to standard output",
    ("--report", "md=a", "--report", "tap=a"): "the same file 'a'",
    ("--report", "md=a", "--report", "tap=./a"): "the same file './a'",
    ("--report", "md=transcript.json", "--force"): "the same file as --transcript",
    ("--report", "json=e.json", "--out", "e.json"): "the same file",
    ("--report", "md=no/such/a.md"): "its folder does not exist",
    ("--force",): "means nothing without --report",
    ("--base", "transcript.json"): "transcript.json: not an assert.v1 envelope",
    ("--base", "gone.json"): "no such file",
}


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_reports_that_cannot_be_meant_are_refused(
    words: tuple[str, ...], call: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = {file.name: file.read_bytes() for file in call.iterdir()}
    assert main([*RUN, *words]) == 2
    assert REFUSED[words] in capfd.readouterr().err
    assert {file.name: file.read_bytes() for file in call.iterdir()} == before


def test_a_refused_document_leaves_no_report(call: Path) -> None:
    (call / "assertions.yaml").write_text("version: 2\n")
    assert main([*RUN, "--report", "junit=a.xml"]) == 2
    assert not (call / "a.xml").exists()


def test_a_run_shows_what_changed_since_the_base(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = (call / "assertions.yaml").read_text().replace("max_ms: 500", "max_ms: 700").replace("guarantee", "postcode")
    (call / "assertions.yaml").write_text(text)
    assert main([*RUN, "--base", "envelope.json"]) == 1
    out = capfd.readouterr().out
    assert "newly failing:\n  promised-nothing  phrase  PASS -> FAIL\n" in out
    assert "fixed:\n  quick  latency  FAIL -> PASS\n" in out
    assert out.endswith("exit 1 (inconclusive_policy report)\n")


def test_evidence_from_standard_input_gives_reports_without_its_lines(call: Path) -> None:
    words = [*RUN[:4], "--transcript", "-", *RUN[6:], "--report", "sarif=a.sarif"]
    with (call / "transcript.json").open() as stdin:
        done = subprocess.run([sys.executable, "-m", "hotato", *words], stdin=stdin, capture_output=True, check=False)
    assert done.returncode == 1
    assert json.loads((call / "a.sarif").read_text())["runs"][0]["results"]


def test_a_watched_run_judges_again_after_a_change_and_after_a_mistake(call: Path) -> None:
    words = [sys.executable, "-m", "hotato", *RUN, "--watch", "--report", "tap=a.tap"]
    with (call / "log").open("w") as log:
        child = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            until(call, lambda text: "watching 4 files" in text, child)
            good = (call / "assertions.yaml").read_text()
            (call / "assertions.yaml").write_text("version: 2\n")
            until(call, lambda text: "assertions.yaml:1" in text, child)
            (call / "new.yaml").write_text(good.replace("max_ms: 500", "max_ms: 700"))
            os.replace(call / "new.yaml", call / "assertions.yaml")
            until(call, lambda text: "8 pass, 3 fail" in text, child)
        finally:
            child.send_signal(signal.SIGINT)
            assert child.wait(timeout=20) == 130
    assert "ok 9 - quick" in (call / "a.tap").read_text()
    assert (call / "log").read_text().count("deterministic: ") == 2


def until(folder: Path, is_there: Callable[[str], bool], child: subprocess.Popen[bytes]) -> None:
    """Wait for what a child prints to hold something."""
    end = time.monotonic() + 20
    while not is_there((folder / "log").read_text()):
        assert child.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < end, (folder / "log").read_text()
        time.sleep(0.05)


def test_standard_input_cannot_be_watched(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["assert", "run", "--assertions", "assertions.yaml", "--transcript", "-", "--watch"]) == 2
    assert "means nothing of standard input, which --transcript reads" in capfd.readouterr().err


def test_watching_without_its_package_says_what_to_install(call: Path) -> None:
    code = "import sys; sys.modules['watchfiles'] = None; from hotato.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *RUN, "--watch"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'hotato[watch]'" in done.stderr


# report ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", report.FORMATS)
def test_a_report_of_an_envelope_file_is_that_of_the_run(
    form: str, call: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main([*RUN, f"--report={form}=run.out"])
    capfd.readouterr()
    given = ["--transcript", "transcript.json", "--trace", "voice_trace.jsonl", "--document", "assertions.yaml"]
    assert main(["report", "--assertions", "envelope.json", *given, "--format", form]) == 0
    assert capfd.readouterr().out == (call / "run.out").read_text(encoding="utf-8")


def test_a_report_is_written_in_the_format_of_its_name(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["report", "--assertions", "envelope.json", "--title", "Refund", "--out", "r.md"]
    assert main(words) == 0
    assert capfd.readouterr().out == ""
    assert (call / "r.md").read_text().startswith("# Refund\n")
    assert main(words) == 2
    assert main([*words, "--force"]) == 0


def test_a_report_refuses_every_file_that_is_wrong_at_once(call: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["report", "--assertions", "state.json", "--transcript", "gone.json", "--rubric", "envelope.json"]
    assert main(words) == 2
    err = capfd.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in err] == ["state.json", "gone.json", "envelope.json"]


REPORT_REFUSED = {
    ("--format", "htm"): "(did you mean 'html'?)",
    ("--out", "envelope.json", "--force"): "the same file as --assertions",
    ("--out", "-"): "without it the report goes to standard output",
    ("--out", "report"): "tells no format",
    ("--force",): "means nothing without --out",
    ("--base", "-", "--transcript", "-"): "standard input can be read once",
}


@pytest.mark.parametrize("words", REPORT_REFUSED, ids=" ".join)
def test_a_report_that_cannot_be_meant_is_refused(
    words: tuple[str, ...], call: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--assertions", "envelope.json", *words]) == 2
    assert REPORT_REFUSED[words] in capfd.readouterr().err
    assert (call / "envelope.json").read_bytes() == (REFUND / "envelope.json").read_bytes()

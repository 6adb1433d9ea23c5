"""hotato in pytest: the fixture, case files, and that an environment with the plugin pays nothing for it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules

import pytest

from hotato.cli import main
from hotato.cli._case import Evidence, read_case
from hotato.errors import DocumentError

pytest_plugins = ["pytester"]

# A run of pytest in this process forgets what was imported in it, and the next one would import it anew. What is imported
# here stays.
for package in ("cli", "context", "document", "importers", "kinds", "match", "model", "plan", "report", "state"):
    for found in iter_modules(import_module(f"hotato.{package}").__path__):
        import_module(f"hotato.{package}.{found.name}")

ROOT = Path(__file__).resolve().parent.parent
REFUND = ROOT / "conformance" / "envelopes" / "refund-call"
TURNS = '[{"role": "agent", "text": "Hello there."}]'
HEAD = "version: 1\nevidence: {transcript: t.json}\n"
LIST = """assertions:
  - {id: greeted, kind: phrase, regex: hello}
  - {id: said-goodbye, kind: phrase, regex: goodbye}
  - id: paid
    kind: tool_call
    name: pay
  - {id: nothing-said, kind: phrase, regex: secret, role: caller, absent: true}
"""
ORDER = ["greeted", "said-goodbye", "paid", "nothing-said"]


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a folder with a transcript."""
    (pytester.path / "t.json").write_text(TURNS)
    return pytester


def case(folder: pytest.Pytester, text: str, name: str = "greeting.hotato.yaml") -> None:
    (folder.path / name).write_text(text)


def run(folder: pytest.Pytester, *words: str) -> pytest.RunResult:
    off = [word for name in ("cacheprovider", "anyio", "hypothesispytest", "xdist") for word in ("-p", f"no:{name}")]
    return folder.runpytest_inprocess(*off, *words)


# what it costs --------------------------------------------------------------------------------------------------------


def test_the_plugin_is_registered() -> None:
    assert [found.value for found in entry_points(group="pytest11", name="hotato")] == ["hotato.pytest_plugin"]


def test_importing_the_plugin_imports_nothing_and_takes_less_than_5_ms(tmp_path: Path) -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import hotato.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    words = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-X", "importtime", "-c", code]
    costs = []
    for _ in range(3):  # the first run compiles
        done = subprocess.run(words, capture_output=True, text=True, check=True, env={"PATH": ""})
        assert done.stdout.split() == ["hotato", "hotato.pytest_plugin"]
        found = re.search(r"\|\s+([0-9]+) \|\s+hotato\.pytest_plugin$", done.stderr, re.MULTILINE)
        assert found is not None
        costs.append(int(found[1]))
    assert min(costs) < 5_000, "microseconds"


def test_a_run_without_case_files_loads_no_more_of_hotato(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    assert {m for m in sys.modules if m.startswith('hotato')} == {'hotato', 'hotato.pytest_plugin'}\n"
    )
    folder.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


# the fixture ----------------------------------------------------------------------------------------------------------


def test_a_check_that_passes_returns_the_envelope(folder: pytest.Pytester) -> None:
    shutil.copytree(REFUND, folder.path / "call")
    (folder.path / "call" / "test_refund.py").write_text("""
import json, pathlib
def test_it(hotato):
    here = pathlib.Path(__file__).parent
    checks = [{"id": "posted", "kind": "http_result", "method": "POST", "url_matches": "refunds", "status": 202},
              {"id": "pending", "kind": "state", "resource": "refunds", "filters": {"order": "B-204"},
               "expect": {"state": "pending"}}]
    given = dict(transcript="transcript.json", trace="voice_trace.jsonl", state="state.json")
    env = hotato.check(assertions=checks, **given)
    assert env["summary"]["deterministic"] == {"pass": 2, "fail": 0, "inconclusive": 0}
    in_hand = dict(transcript=json.loads((here / "transcript.json").read_text()),
                   state=json.loads((here / "state.json").read_text()))
    assert hotato.check(assertions={"version": 1, "assertions": checks}, **{**given, **in_hand}) == env
""")
    run(folder).assert_outcomes(passed=1)


def test_a_check_that_fails_tells_every_failure_and_no_line_of_hotato(folder: pytest.Pytester) -> None:
    shutil.copytree(REFUND, folder.path / "call")
    (folder.path / "call" / "test_refund.py").write_text("""
def test_it(hotato):
    hotato.check(assertions="assertions.yaml", transcript="transcript.json", trace="voice_trace.jsonl",
                 state="state.json")
""")
    done = run(folder)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "FAIL *refund-amount *tool_call",
            '      amount: expected 19.5 (number), observed "19.50" (string)',
            "FAIL *quick *latency",
            "deterministic: 7 pass, 4 fail, 0 inconclusive",
            "judge-scored (advisory, never mixed in): 0",
        ]
    )
    assert "pytest_plugin.py" not in done.stdout.str()


def test_a_check_takes_a_call_in_any_format_that_is_known(folder: pytest.Pytester) -> None:
    (folder.path / "vapi.json").write_text(
        json.dumps(
            {
                "message": {
                    "type": "end-of-call-report",
                    "startedAt": "2024-05-01T10:00:00.000Z",
                    "artifact": {
                        "messages": [
                            {
                                "role": "bot",
                                "message": "Hello there.",
                                "time": 1714557601000,
                                "secondsFromStart": 1.0,
                                "duration": 900,
                            },
                        ]
                    },
                }
            }
        )
    )
    folder.makepyfile("""
def test_it(hotato):
    hotato.check(assertions=[{"id": "greeted", "kind": "phrase", "regex": "hello"}], call="vapi.json")
""")
    run(folder).assert_outcomes(passed=1)


CHECKS = {
    "hotato.check(assertions=LIST, transcript='t.json')": "passed",
    "hotato.check(assertions=LIST)": "warned",
    "hotato.check(assertions=LIST, inconclusive_policy='fail')": "failed",
    "hotato.check(assertions=LIST, inconclusive_policy='refuse')": "failed",
    "hotato.check(assertions=ABSENT, transcript='t.json')": "passed",
    "hotato.check(assertions=ABSENT, transcript='t.json', strict=True)": "failed",
    "hotato.check(assertions=LIST, transcript='gone.json')": "no such file or directory",
    "hotato.check(assertions=[{**LIST[0], 'rgex': 'x'}], transcript='t.json')": "did you mean",
    "hotato.check(assertions='gone.yaml', transcript='t.json')": "no such file or directory",
    "hotato.check(assertions=LIST, call='t.json')": "passed",
    "hotato.check(transcript='t.json')": "assertions",
    "hotato.check(assertions=LIST, transkript='t.json')": "transkript",
}


def test_a_check_ends_as_the_run_would(folder: pytest.Pytester) -> None:
    tests = "".join(f"def test_{number}(hotato):\n    {line}\n" for number, line in enumerate(CHECKS))
    folder.makepyfile(f"""
LIST = [{{"id": "greeted", "kind": "phrase", "regex": "hello"}}]
ABSENT = [{{"id": "a", "kind": "phrase", "regex": "hello", "role": "caller", "absent": True}}]
{tests}""")
    done = run(folder, "-rA")
    out = done.stdout.str()
    for number, said in enumerate(CHECKS.values()):
        ended = "PASSED" if said in ("passed", "warned") else "FAILED"
        assert re.search(rf"^{ended} \S+::test_{number}\b", out, re.MULTILINE), number
        section = re.search(rf"^_+ test_{number} _+$(.*?)^(?:_+ test_|=)", out, re.MULTILINE | re.DOTALL)
        if ended == "FAILED" and said != "failed":
            assert section is not None
            assert re.search(said, section[1]), number
    assert re.findall("HotatoWarning: (.*)", out) == ["not judged: greeted"]


# case files -----------------------------------------------------------------------------------------------------------


def test_a_case_file_is_one_test_for_each_assertion_in_its_order(folder: pytest.Pytester) -> None:
    case(folder, HEAD + LIST)
    done = run(folder, "-v", "-rs")
    done.assert_outcomes(passed=2, failed=1, skipped=1)
    found = re.findall(r"^greeting\.hotato\.yaml::(\S+) (\w+)", done.stdout.str(), re.MULTILINE)
    assert found == list(zip(ORDER, ("PASSED", "FAILED", "SKIPPED", "PASSED"), strict=True))
    done.stdout.fnmatch_lines(["FAIL said-goodbye (phrase)", "*needs a trace: supply one*"])
    assert "Traceback" not in done.stdout.str()


@pytest.mark.parametrize(
    ("policy", "outcome"), [("report", {"skipped": 1}), ("fail", {"failed": 1}), ("refuse", {"errors": 1})]
)
def test_an_inconclusive_case_is_what_the_policy_makes_of_it(
    policy: str, outcome: dict[str, int], folder: pytest.Pytester
) -> None:
    case(folder, f"inconclusive_policy: {policy}\n{HEAD}assertions:\n  - {{id: paid, kind: tool_call, name: pay}}\n")
    run(folder).assert_outcomes(**outcome)


def test_one_assertion_can_be_chosen(folder: pytest.Pytester) -> None:
    case(folder, HEAD + LIST)
    run(folder, "greeting.hotato.yaml::greeted").assert_outcomes(passed=1)
    run(folder, "-k", "goodbye").assert_outcomes(failed=1, deselected=3)


def test_evidence_is_found_beside_the_case_file_wherever_pytest_starts(folder: pytest.Pytester) -> None:
    shutil.copytree(REFUND, folder.path / "deep" / "call")
    text = (REFUND / "assertions.yaml").read_text()
    named = "evidence:\n  transcript: transcript.json\n  trace: voice_trace.jsonl\n  state: state.json\n"
    (folder.path / "deep" / "call" / "refund.hotato.yml").write_text(named + text)
    run(folder).assert_outcomes(passed=7, failed=4)


def test_the_call_of_a_case_file_is_judged_once(folder: pytest.Pytester) -> None:
    case(folder, HEAD + LIST)
    folder.makeconftest("""
import hotato.cli._pytest_case as cases
real, count = cases.judge_call, []
def judged(*words):
    count.append(1)
    return real(*words)
cases.judge_call = judged
def pytest_sessionfinish(session):
    cases.judge_call = real
    assert len(count) == 1
""")
    assert run(folder).ret == 1


def test_refused_evidence_is_an_error_of_each_case_and_no_traceback(folder: pytest.Pytester) -> None:
    case(folder, HEAD.replace("t.json", "gone.json") + LIST)
    done = run(folder)
    done.assert_outcomes(errors=4)
    done.stdout.fnmatch_lines(["*gone.json: no such file or directory"])
    assert ".py" not in done.stdout.str()


PRIVATE = [{"role": "agent", "text": "zebra"}, {"role": 5, "text": "giraffe"}]
DEFECT = """
import hotato.plan.run
def broken(node, evidence):
    raise RuntimeError(evidence.call.transcript[0].text)
hotato.plan.run._verdict = broken
"""


@pytest.mark.parametrize("policy", ["report", "refuse"])
@pytest.mark.parametrize("turns", ["refused", "judged"])
def test_no_word_of_a_call_is_in_what_pytest_prints_of_an_error(
    turns: str, policy: str, folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hotato.plan.run

    (folder.path / "t.json").write_text(json.dumps(PRIVATE[: 1 if turns == "judged" else 2]))
    case(folder, f"inconclusive_policy: {policy}\n{HEAD}{LIST}")
    checked = f"hotato.check(assertions=LIST, transcript='t.json', inconclusive_policy={policy!r})"
    folder.makepyfile(
        f"import yaml\nLIST = yaml.safe_load({LIST!r})['assertions']\ndef test_it(hotato):\n    {checked}\n"
    )
    if turns == "judged":
        monkeypatch.setattr(hotato.plan.run, "_verdict", hotato.plan.run._verdict)  # put back once the run is over
        folder.makeconftest(DEFECT)
    done = run(folder, "-l", "--junitxml=told.xml")
    done.assert_outcomes(errors=4, failed=1)
    told = done.stdout.str() + (folder.path / "told.xml").read_text()
    assert "zebra" not in told
    assert "giraffe" not in told
    assert ("internal error while judging assertion 'greeted': RuntimeError" in told) is (turns == "judged")
    assert ("must be a non-empty string; found a number" in told) is (turns == "refused")
    assert not re.search(r"hotato/\w+/\w+\.py", told)


def test_what_is_refused_or_open_is_told_with_the_file_that_asks_for_it(folder: pytest.Pytester) -> None:
    case(folder, HEAD + LIST)
    case(folder, HEAD + LIST, "parting.hotato.yaml")
    done = run(folder, "-rs")
    done.assert_outcomes(passed=4, failed=2, skipped=2)
    out = done.stdout.str()
    for name in ("greeting", "parting"):
        assert re.search(rf"^FAIL said-goodbye .*\n.*\n  {name}\.hotato\.yaml:5$", out, re.MULTILINE)
        assert re.search(rf"^SKIPPED \[1\] .*INCONCLUSIVE paid .*\n.*\n  {name}\.hotato\.yaml:6$", out, re.MULTILINE)


BAD = {
    "version: 1\n": "evidence: a case file names its evidence",
    "version: 1\nevidence: t.json\n": "evidence: must be a mapping",
    "version: 1\nevidence: {}\n": "evidence: names no file",
    "version: 1\nevidence: {capture_complete: true}\n": "evidence: names no file",
    "version: 1\nevidence: {transcrpt: t.json}\n": "evidence.transcrpt: unknown evidence.*did you mean 'transcript'",
    "version: 1\nevidence: {transcript: 1}\n": "evidence.transcript: must be the path of a file",
    "version: 1\nevidence: {transcript: '-'}\n": "evidence.transcript: must be the path of a file",
    "version: 1\nevidence: {transcript: t.json, call_id: x}\n": "evidence.call_id: means nothing without call",
    "version: 1\nevidence: {trace: t.json, capture_complete: 1}\n": "must be true or false",
    "version: 1\nevidence: {trace: t.json, map_role: [a]}\n": "must map speakers to roles",
    "version: 2\nevidence: {transcript: t.json}\n": "version",
    "version: 1\nevidence: {transcript: t.json}\nextra: 1\n": "extra",
}


def test_a_case_file_that_is_wrong_is_refused_with_its_line(
    folder: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"bad-{number}.hotato.yaml" for number in range(len(BAD))]
    for name, head in zip(names, BAD, strict=True):
        case(folder, head + LIST, name)
    done = run(folder)
    done.assert_outcomes(errors=len(BAD))
    out = done.stdout.str()
    assert "Traceback" not in out
    for name, said in zip(names, BAD.values(), strict=True):
        assert re.search(rf"{name}:[0-9]+:[0-9]+: .*{said}", out), said
        assert main(["assert", "lint", str(folder.path / name)]) == 2
        assert re.search(said, capsys.readouterr().out)


def test_a_case_file_without_assertions_is_no_success(folder: pytest.Pytester) -> None:
    case(folder, HEAD + "assertions: []\n")
    run(folder).assert_outcomes(errors=1)


def test_a_case_file_is_linted_as_a_document(folder: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    case(folder, HEAD + LIST)
    assert main(["assert", "lint", str(folder.path / "greeting.hotato.yaml")]) == 0
    assert "4 assertions, no problem" in capsys.readouterr().out


def test_every_name_of_evidence_reaches_the_call() -> None:
    text = (
        "version: 1\nevidence: {call: a, call_format: vapi, call_id: b, transcript: c, trace: d, state: e, timing: f, "
        "map_role: {S0: agent}, capture_complete: true}\n"
    )
    _, evidence = read_case(text + LIST, "x")
    assert evidence == Evidence(
        call="a", call_format="vapi", call_id="b", transcript="c", trace="d", state="e", timing="f",
        map_role={"S0": "agent"}, capture_complete=True,
    )  # fmt: skip


def test_every_fault_of_a_case_file_is_told_at_once() -> None:
    text = "version: 1\nevidence:\n  transcrpt: a\n  trace: 1\n  call_id: x\n" + LIST
    with pytest.raises(DocumentError) as caught:
        read_case(text, "x.hotato.yaml")
    assert [(problem.line, problem.code) for problem in caught.value.problems] == [
        (3, "unknown_field"),
        (4, "wrong_type"),
        (5, "needless_field"),
    ]


def test_other_files_are_left_alone(folder: pytest.Pytester) -> None:
    case(folder, "nonsense: [", "hotato.yaml")
    case(folder, "nonsense: [", "x.yaml")
    assert run(folder).ret == pytest.ExitCode.NO_TESTS_COLLECTED

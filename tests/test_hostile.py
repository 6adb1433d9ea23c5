"""Input that cannot hurt: whatever is handed to whichever reader, it is refused in plain words or read for what it says."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato import importers
from hotato.cli import main
from hotato.context.codes import CODES as EVIDENCE_CODES
from hotato.context.trace import load_spans_file
from hotato.context.transcript import load_transcript_file
from hotato.document.codes import CODES as DOCUMENT_CODES
from hotato.document.load import load
from hotato.errors import DocumentError, UsageError
from hotato.model import limits as room
from hotato.model.limits import LIMITS, limit, limits
from hotato.plan.resources import Resources
from hotato.state.load import load_state_adapter

ROOT = Path(__file__).resolve().parent.parent
TURN = '{"role": "agent", "text": "hi"}'
TURNS = f"[{TURN}]"
DEEP = 100_000
LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))

INPUTS: dict[str, bytes] = {
    "lists in lists": b"[" * DEEP + b"]" * DEEP,
    "mappings in mappings": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "dashes in dashes": b"- " * DEEP,
    "a deep value in a turn": TURNS.replace('"hi"', '"hi", "x": ' + "[" * 70 + "]" * 70).encode(),
    "a billion laughs": LAUGHS.encode(),
    "a tag that calls": b"version: !!python/object/apply:os.system [id]\nassertions: []\n",
    "a merge key": b"a: 1\n<<: {b: 2}\n",
    "an integer of 5000 digits": TURNS.replace('"hi"', '"hi", "start": ' + "9" * 5000).encode(),
    "an integer of 400 digits": TURNS.replace('"hi"', '"hi", "start": ' + "9" * 400).encode(),
    "not a number": TURNS.replace('"hi"', '"hi", "start": NaN').encode(),
    "an infinity": TURNS.replace('"hi"', '"hi", "start": -Infinity').encode(),
    "a number beyond all": TURNS.replace('"hi"', '"hi", "start": 1e999').encode(),
    "half a pair, escaped": TURNS.replace("hi", "hi \\ud800").encode(),
    "half a pair, as bytes": TURNS.replace("hi", "hi \ud800").encode("utf-8", "surrogatepass"),
    "a NUL in a text": TURNS.replace("hi", "hi \0").encode(),
    "NULs": b"\0" * 1000,
    "a byte order mark": b"\xef\xbb\xbf" + TURNS.encode(),
    "two byte order marks": b"\xef\xbb\xbf" * 2 + TURNS.encode(),
    "a byte order mark within": TURNS.replace("[", "[\ufeff").encode(),
    "Windows line ends": TURNS.replace("{", "\r\n{\r\n").encode(),
    "old line ends": TURNS.replace("{", "\r{").encode(),
    "a text broken off": TURNS[:-6].encode(),
    "all bytes": bytes(range(256)) * 20,
    "UTF-16": TURNS.encode("utf-16"),
    "nothing": b"",
    "blanks": b" \n\n",
    "line ends": b"\n" * 12_000,
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(500),
    "a key twice": TURNS.replace('"text"', '"text": "no", "text"').encode(),
    "a key twice, once escaped": TURNS.replace('"text"', '"text": "no", "\\u0074ext"').encode(),
    "gzip": gzip.compress(TURNS.encode()),
    "gzip broken off": gzip.compress(TURNS.encode() * 9)[:-9],
    "gzip with something behind": gzip.compress(TURNS.encode()) + b"more",
    "one number": b"5",
    "quotes": b'"' + b"\\" * 200_000,
}

# What is read, and what of it: everything else is refused by every reader.
READ: dict[str, set[str]] = {
    "a byte order mark": {"transcript", "call"},
    "Windows line ends": {"transcript", "call"},
    "old line ends": {"transcript", "call"},
    "half a pair, escaped": {"transcript", "call"},
    "not a number": {"call"},  # as Python and JavaScript tools write it: read as no time
    "an infinity": {"call"},
    "a number beyond all": {"call"},
    "gzip": {"call"},
    "one number": set(),
}


def _rules(path: str) -> Any:
    return A.compile_assertions({"version": 1, "assertions": [{"id": "a", "kind": "policy", "pack_path": path}]})


READERS: dict[str, Callable[[str], Any]] = {
    "assertions": lambda path: A.run_assertions_from_file(path, A.build_context()),
    "rule pack": _rules,
    "state": load_state_adapter,
    "transcript": load_transcript_file,
    "trace": load_spans_file,
    "call": importers.load_call,
}
CODES = {*EVIDENCE_CODES, *DOCUMENT_CODES}


def tool(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


fuzz, readers = tool("fuzz"), tool("fuzz_readers")


def refused(work: Callable[[], Any], file: str = "") -> list[str]:
    """Return the lines of a refusal; none where there is none."""
    try:
        work()
    except UsageError as error:
        problems = error.problems
    else:
        return []
    lines = [str(problem) for problem in problems]
    assert lines
    assert all(line.isprintable() and len(line) < 1000 for line in lines)
    assert all(file in line for line in lines)
    assert {problem.code for problem in problems} <= CODES
    return lines


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", INPUTS)
def test_a_hostile_file_is_refused_in_lines_that_name_it_or_read(name: str, reader: str, tmp_path: Path) -> None:
    file = tmp_path / "input"
    file.write_bytes(INPUTS[name])
    lines = refused(lambda: READERS[reader](str(file)), str(file))
    assert bool(lines) is (reader not in READ.get(name, set()))
    assert os.listdir(tmp_path) == ["input"]


@pytest.mark.parametrize("format_", importers.names())
def test_a_hostile_file_is_refused_or_read_by_every_importer(format_: str) -> None:
    for name, raw in INPUTS.items():
        refused(lambda raw=raw: importers.read_raw("input", raw, format_), "input")  # type: ignore[misc]
        assert name


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "broken", "none", "unreadable"])
def test_what_is_no_regular_file_is_refused_without_waiting(reader: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / kind
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path = Path("/dev/zero")
        case "loop" | "broken":
            path.symlink_to(path if kind == "loop" else tmp_path / "nowhere")
        case "unreadable":
            if os.geteuid() == 0:
                pytest.skip("root reads everything")
            path.touch(0o000)
    assert len(refused(lambda: READERS[reader](str(path)), str(path))) == 1


def test_a_symbolic_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(TURNS)
    (tmp_path / "link").symlink_to("file")
    assert len(load_transcript_file(tmp_path / "link")) == 1


# Limits.

OVER: dict[str, tuple[int, Callable[[Path], Any]]] = {
    "file_bytes": (len(TURNS), lambda file: load_transcript_file(_with(file, TURNS + " "))),
    "document_bytes": (40, lambda file: A.parse_assertions_yaml("a: '" + "x" * 36 + "'")),
    "document_values": (4, lambda file: A.parse_assertions_yaml("[1, 2, 3, 4]")),
    "values": (4, lambda file: load_transcript_file(_with(file, '[{"role": ",[{", "text": "hi", "end": 1}]'))),
    "depth": (3, lambda file: load_transcript_file(_with(file, TURNS.replace('"hi"', '"hi", "x": [[1]]')))),
    "turn_characters": (2, lambda file: load_transcript_file(_with(file, TURNS.replace("hi", "hey")))),
    "formula_characters": (6, lambda file: _formula("a or  a")),
    "formula_depth": (2, lambda file: _formula("(((a)))")),
}


def _with(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def _formula(expr: str) -> Any:
    listed = [{"id": "a", "kind": "phrase", "regex": "hi"}, {"id": "f", "kind": "formula", "expr": expr}]
    return A.compile_assertions({"version": 1, "assertions": listed})


@pytest.mark.parametrize("name", OVER)
def test_what_is_over_a_limit_is_refused_by_name_and_what_is_at_it_is_read(name: str, tmp_path: Path) -> None:
    most, work = OVER[name]
    with limits(**{name: most}):
        (line,) = refused(lambda: work(tmp_path / "input"))
    assert f"--limit {name}=N allows more" in line
    with limits(**{name: most + 1}):
        work(tmp_path / "input")
    assert limit(name) == LIMITS[name].default


def test_every_limit_is_tried_here_or_says_where() -> None:
    elsewhere = {"line_bytes", "unpacked_bytes", "problems"}  # the next two tests
    elsewhere |= {"audio_seconds", "part_bytes"}  # test_timing.py and test_conversation.py
    assert set(OVER) | elsewhere == set(LIMITS)


@pytest.mark.parametrize(("name", "most"), [("line_bytes", 1000), ("unpacked_bytes", 1_500_000)])
def test_a_file_that_is_split_is_bounded_by_line_and_by_size(name: str, most: int, tmp_path: Path) -> None:
    from hotato.importers._split import split_trace

    line = '{"resourceSpans": []}\n'
    text = line * 2 + line.replace("[]", "[" + " " * 2_000_000 + "]") + line
    (tmp_path / "in").write_bytes(gzip.compress(text.encode()))
    with limits(**{name: most}):
        (told,) = refused(lambda: list(split_trace(tmp_path / "in")))
    assert f"--limit {name}=N allows more" in told
    list(split_trace(tmp_path / "in"))


def test_problems_beyond_the_limit_are_counted() -> None:
    with limits(problems=2):
        lines = refused(lambda: A.parse_assertions_yaml("a: 017\nb: 017\nc: 017\nd: 017"))
    assert len(lines) == 3
    assert "2 more problems are not listed" in lines[-1]


@pytest.mark.parametrize("line", ["no json", "{}"])
def test_problems_of_a_trace_beyond_the_limit_are_not_listed(line: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text(f"{line}\n" * 5)
    with limits(problems=2):
        lines = refused(lambda: load_spans_file(tmp_path / "in"))
    assert len(lines) == 3
    assert "not listed; --limit problems=N allows more" in lines[-1]


def test_problems_of_a_transcript_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("[1, 2, 3,\n 4, 5]")
    with limits(problems=2):
        lines = refused(lambda: load_transcript_file(tmp_path / "in"))
    assert len(lines) == 3
    assert "3 more problems are not listed; --limit problems=N allows more" in lines[-1]


@pytest.mark.parametrize("reader", [load_spans_file, importers.load_call])
def test_values_are_counted_over_all_lines_of_a_file(reader: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "in").write_text('{"type": "llm", "name": "a,b"}\n' * 40)
    with limits(values=79):
        (line,) = refused(lambda: reader(tmp_path / "in"), str(tmp_path / "in"))
    assert "more than 79 values; --limit values=N allows more" in line
    assert load_spans_file(tmp_path / "in")


@pytest.mark.parametrize("values", [{"size": 1}, {"depth": 0}, {"depth": 129}, {"depth": True}, {"depth": 3.0}])
def test_a_limit_that_does_not_exist_or_is_out_of_range_is_refused(values: dict[str, Any]) -> None:
    def work() -> None:
        with limits(**values):
            pass

    assert refused(work)
    assert all(limit(name) == one.default for name, one in LIMITS.items())


def test_limits_hold_inside_one_another_and_end_with_their_work() -> None:
    with limits(depth=5), limits(values=7):
        assert (limit("depth"), limit("values")) == (5, 7)
    with pytest.raises(ZeroDivisionError), limits(depth=5):
        raise ZeroDivisionError
    assert limit("depth") == LIMITS["depth"].default


def test_a_value_as_deep_as_a_limit_can_be_raised_is_read_and_judged(tmp_path: Path) -> None:
    most = LIMITS["depth"].most
    deep: Any = 1
    for _ in range(most - 1):
        deep = [deep]
    span = {"type": "tool_call", "name": "t", "arguments": {"x": 1}, "result": deep}
    (tmp_path / "trace").write_text(json.dumps(span))
    subset = {"id": "a", "kind": "tool_result", "name": "t", "result_subset": {"y": deep[0][0][0][0]}}
    with limits(depth=most):
        found = A.run_assertions({"version": 1, "assertions": [subset]}, A.build_context(trace_path=tmp_path / "trace"))
    assert found["results"][0]["status"] in ("FAIL", "INCONCLUSIVE")
    assert refused(lambda: load_spans_file(tmp_path / "trace"))


def test_a_formula_as_deep_as_a_limit_can_be_raised_is_judged() -> None:
    most = LIMITS["formula_depth"].most
    with limits(formula_depth=most):
        plan = _formula("(a and a or not " * most + "a" + ")" * most)
    assert len(A.judge_call(plan, A.build_context(transcript=[]))["results"]) == 2
    assert refused(lambda: _formula("(" * 10_000 + "a" + ")" * 10_000))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("file_byte=3", "no limit is called"),
        ("depth", "needs NAME=VALUE"),
        ("depth=many", "needs NAME=VALUE"),
        ("depth=-1", "needs NAME=VALUE"),
        ("depth=9MB", "counted in levels"),
        ("depth=1000", "1 to 128"),
    ],
)
def test_a_flag_that_is_no_limit_is_refused(word: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["assert", "lint", str(ROOT / "examples" / "refund" / "assertions.yaml"), f"--limit={word}"]) == 2
    assert said in capfd.readouterr().err


def test_a_limit_is_raised_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "document.yaml"
    listed = [{"id": "a", "kind": "phrase", "regex": "x" * 2000}]
    file.write_text(json.dumps({"version": 1, "assertions": listed}))
    words = ["assert", "lint", str(file)]
    assert main([*words, "--limit", "document_bytes=1KB"]) == 2
    assert "larger than 1 KB, the most that is read; --limit document_bytes=N allows more" in capfd.readouterr().out
    assert main([*words, "--limit", "document_bytes=4KB", "--limit", "depth=3"]) == 0
    assert main([*words, "--limit", "depth=3", "--limit", "depth=4"]) == 2


def test_the_page_of_limits_lists_every_limit() -> None:
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    for name, one in LIMITS.items():
        row = (f"`{name}`", room.amount(name, one.default), room.amount(name, one.most), one.bounds, one.why)
        assert f"| {' | '.join(row)} |\n" in page


# Packs.


def test_a_file_that_an_assertion_pack_names_is_not_even_opened() -> None:
    opened: list[str] = []

    def read(path: str) -> str:
        opened.append(path)
        return ""

    document = {"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "hi"}]}
    pack = {"version": 1, "assertions": [{"id": "b", "kind": "policy", "pack_path": "/etc/passwd"}]}
    with pytest.raises(DocumentError) as caught:
        load(document, Resources(read), [pack])
    assert [problem.code for problem in caught.value.problems] == ["pack_file"]
    assert opened == []


# Memory and size.

MEASURE = """
import resource, sys
from hotato import assert_ as A
from hotato.errors import UsageError
from hotato.model.limits import limits
from hotato import importers
import hotato.importers._container, yaml
kind, file, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
document = {"version": 1, "assertions": [{"id": "a", "kind": "phrase", "regex": "hi"}]}
A.run_assertions(document, A.build_context(transcript=[{"role": "agent", "text": "hi"}]))
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + most, held + most))
try:
    with limits(document_values=10**8):
        if kind == "transcript":
            A.run_assertions(document, A.build_context(transcript_path=file))
        elif kind == "trace":
            A.build_context(trace_path=file)
        elif kind == "call":
            importers.load_call(file)
        else:
            A.run_assertions_from_file(file, A.build_context(transcript=[]))
except UsageError as error:
    print("refused", str(error)[:300])
else:
    print("judged")
print(int(open("/proc/self/status").read().split("VmPeak:")[1].split()[0]) * 1024 - held)
"""
MULTIPLE = {"transcript": 48, "trace": 48, "call": 100, "assertions": 100}  # as docs/limits.md states them
SPARE = 32 * 1024 * 1024
LARGE: dict[str, tuple[str, str, str]] = {
    "empty mappings": ("transcript", "[" + "{}," * 250_000 + "{}]", "refused"),
    "empty lists of a trace": ("trace", "[" + "[]," * 250_000 + "[]]", "refused"),
    "empty mappings of a call": ("call", "[" + "{}," * 250_000 + "{}]", "refused"),
    "short numbers": ("transcript", "[" + "1," * 400_000 + "1]", "refused"),
    "one long text": ("transcript", '["' + "x" * 2_000_000 + '"]', "refused"),
    "short turns": ("transcript", "[" + ",".join(['{"role":"agent","text":"hi"}'] * 30_000) + "]", "judged"),
    "short spans": ("trace", '{"type":"llm"}\n' * 60_000, "judged"),
    "short assertions": (
        "assertions",
        '{"version":1,"assertions":['
        + ",".join(f'{{"id":"a{n}","kind":"phrase","regex":"hi"}}' for n in range(5_000))
        + "]}",
        "judged",
    ),
    "short assertions in YAML": (
        "assertions",
        "version: 1\nassertions:\n" + "".join(f"- {{id: a{n}, kind: phrase, regex: hi}}\n" for n in range(5_000)),
        "judged",
    ),
    "a list of ones in YAML": ("assertions", "x-a: [" + "1," * 100_000 + "1]", "refused"),
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to bound memory")
@pytest.mark.parametrize("name", LARGE)
def test_memory_is_bounded_by_the_stated_multiple_of_the_input(name: str, tmp_path: Path) -> None:
    kind, text, outcome = LARGE[name]
    (tmp_path / "in").write_text(text)
    most = MULTIPLE[kind] * len(text) + SPARE
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, kind, str(tmp_path / "in"), str(most)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith(outcome)


def test_a_file_that_unpacks_to_far_more_is_refused_before_it_does(tmp_path: Path) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress(bytes(2_000_000)))
    with limits(file_bytes=100_000):
        (line,) = refused(lambda: importers.load_call(tmp_path / "in.gz"))
    assert "unpacks to more than 100000 bytes, the most that is read; --limit file_bytes=N allows more" in line


def test_running_out_of_memory_is_told_and_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(A, "compile_assertions", exhausted)
    assert main(["assert", "lint", str(ROOT / "examples" / "refund" / "assertions.yaml")]) == 3
    assert "out of memory" in capfd.readouterr().err


# Damage.


@pytest.mark.parametrize("name", readers.READERS)
def test_a_damaged_text_is_read_or_refused_in_plain_lines(name: str) -> None:
    done = fuzz.run(name, readers.seeds(name), random.Random(1), rounds=120)
    assert done.failures == []
    assert done.read


def test_a_reader_that_breaks_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(readers.READERS, "formula", lambda raw: raw.decode("ascii")[3])
    assert fuzz.run("formula", readers.seeds("formula"), random.Random(1), rounds=60).failures


def test_a_refusal_that_is_no_plain_line_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def shouting(raw: bytes) -> None:
        raise UsageError(f"\x1b[2J{len(raw)}")

    monkeypatch.setitem(readers.READERS, "formula", shouting)
    failures = fuzz.run("formula", readers.seeds("formula"), random.Random(1), rounds=3).failures
    assert "no plain line" in failures[0].told

"""Conversations on disk: written with a hash for each part, and told apart from what they were by any byte of them."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hotato.cli import main
from hotato.context.confined import reading_within
from hotato.errors import EvidenceError
from hotato.model.limits import limits
from hotato.simulate import verification
from hotato.simulate.artifact import Part, bound, part_of, put, text_of
from hotato.simulate.parts import of_records
from hotato.simulate.verification import verify

ROOT = Path(__file__).resolve().parent.parent
FILES = {"transcript.json": b"[]\n", "voice_trace.jsonl": b'{"type": "x"}\n', "result.json": b"{}\n"}
Out = pytest.CaptureFixture[str]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return the folder of a conversation."""
    folder = tmp_path / "all" / "call"
    folder.mkdir(parents=True)
    put(str(folder), FILES, origin="simulated", run="base/r1", seed=7)
    return folder


def row(folder: Path, ident: str | None = None) -> tuple[str, list[tuple[str, str]]]:
    found = verify(str(folder), ident)
    (one,) = found["conversations"]
    assert found["exit_code"] == {"intact": 0, "changed": 1, "refused": 2}[one["status"]]
    return one["status"], [(problem["part"], problem["message"]) for problem in one["problems"]]


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "conversation.json").read_text())
    return found


def rewritten(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        made = manifest(folder)
        change(made)
        (folder / "conversation.json").write_text(json.dumps(made))

    return apply


def linked(folder: Path, name: str, target: str) -> None:
    (folder / name).unlink()
    (folder / name).symlink_to(target)


def fifo(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)


def test_a_conversation_that_nobody_touched_is_intact(kept: Path) -> None:
    assert row(kept) == ("intact", [])
    assert row(kept, manifest(kept)["id"]) == ("intact", [])


def test_the_id_follows_from_the_parts_by_a_rule_that_others_can_follow(kept: Path) -> None:
    lines = ["hotato.conversation 1", "origin simulated", 'run "base/r1"', "seed 7"]
    role = {"transcript.json": "transcript", "voice_trace.jsonl": "trace", "result.json": "result"}
    lines += [f"{sha256(FILES[n]).hexdigest()} {len(FILES[n])} {role[n]} {n}" for n in sorted(FILES)]
    assert manifest(kept)["id"] == sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def test_the_same_parts_are_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    parts = [part_of(name, raw) for name, raw in FILES.items()]
    assert text_of(bound("recorded", parts)) == text_of(bound("recorded", parts[::-1]))
    assert bound("recorded", parts).id != bound("simulated", parts).id
    assert bound("simulated", parts, "a", 1).id != bound("simulated", parts, "a", 2).id


def test_what_is_written_is_valid_by_the_schema_and_what_is_refused_is_not(kept: Path, capsys: Out) -> None:
    assert main(["assert", "schema", "conversation"]) == 0
    check = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    made = manifest(kept)
    assert check.is_valid(made)
    for wrong in ({**made, "x-mine": 1}, {**made, "version": 2}, {**made, "parts": []}, {**made, "origin": "dreamt"}):
        assert not check.is_valid(wrong)
    made["parts"][0]["name"] = "../result.json"
    assert not check.is_valid(made)


# what does not match ---------------------------------------------------------------------------------------------------

CHANGED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "tampered": (lambda f: (f / "result.json").write_bytes(b"[]\n"), "result.json", "its sha256 differs"),
    "longer": (lambda f: (f / "result.json").write_bytes(b"{}\n\n"), "result.json", "has 4 bytes; 3 were written"),
    "emptied": (lambda f: (f / "transcript.json").write_bytes(b""), "transcript.json", "has 0 bytes"),
    "missing": (lambda f: (f / "transcript.json").unlink(), "transcript.json", "is not there"),
    "swapped": (lambda f: (f / "transcript.json").replace(f / "result.json"), "result.json", "its sha256 differs"),
    "extra": (lambda f: (f / "more.json").write_text("{}"), "more.json", "is not listed"),
    "hidden": (lambda f: (f / ".more").write_text("{}"), ".more", "is not listed"),
    "extra folder": (lambda f: (f / "more").mkdir(), "more", "is not listed"),
    "extra link": (lambda f: (f / "more").symlink_to("/etc/passwd"), "more", "is no regular file"),
    "odd name": (lambda f: (f / "a\x1b[2J\n").write_text(""), "a\\x1b[2J\\n", "is not listed"),
    "many files": (lambda f: [(f / f"{n}").touch() for n in range(99)], "conversation.json", "more than 64 files"),
    "origin": (rewritten(lambda m: m.update(origin="recorded")), "conversation.json", "its id is not that"),
    "seed": (rewritten(lambda m: m.update(seed=8)), "conversation.json", "its id is not that"),
    "run": (rewritten(lambda m: m.pop("run")), "conversation.json", "its id is not that"),
    "role": (rewritten(lambda m: m["parts"][0].update(role="timing")), "conversation.json", "its id is not that"),
    "id": (rewritten(lambda m: m.update(id="0" * 64)), "conversation.json", "its id is not that"),
    "unlisted": (rewritten(lambda m: m["parts"].pop(0)), "result.json", "is not listed"),
    "size": (rewritten(lambda m: m["parts"][0].update(bytes=2**53)), "result.json", f"{2**53} were written"),
    "hash": (rewritten(lambda m: m["parts"][0].update(sha256="f" * 64)), "result.json", "its sha256 differs"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_was_changed_is_told_by_its_name(name: str, kept: Path, capsys: Out) -> None:
    change, part, said = CHANGED[name]
    change(kept)
    status, problems = row(kept)
    assert status == "changed"
    assert [text for at, text in problems if at == part and said in text], problems
    assert main(["conversation", "verify", str(kept)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("CHANGED")
    assert "\x1b" not in out
    assert main(["conversation", "verify", str(kept.parent), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["changed"] == 1


def test_no_byte_of_a_part_can_be_flipped_unseen(kept: Path) -> None:
    for name, raw in FILES.items():
        for place in range(len(raw)):
            (kept / name).write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
            assert row(kept) == ("changed", [(name, "is not the file that was written: its sha256 differs")])
        (kept / name).write_bytes(raw)
    assert row(kept) == ("intact", [])


def test_who_writes_all_of_it_anew_is_told_by_the_id_that_was_noted(kept: Path, capsys: Out) -> None:
    before = manifest(kept)["id"]
    shutil.rmtree(kept)
    kept.mkdir()
    put(str(kept), {**FILES, "result.json": b"[]\n"}, origin="simulated", run="base/r1", seed=7)
    assert row(kept) == ("intact", [])
    (problem,) = row(kept, before)[1]
    assert problem[0] == "conversation.json"
    assert main(["conversation", "verify", str(kept), "--id", before]) == 1
    assert "another id" in capsys.readouterr().out


# what is refused -------------------------------------------------------------------------------------------------------


def named(name: str) -> Callable[[Path], None]:
    return rewritten(lambda m: m["parts"][0].update(name=name))


def text(new: bytes) -> Callable[[Path], object]:
    return lambda f: (f / "conversation.json").write_bytes(new)


ONE = b'{"kind": "hotato.conversation", "version": 1, "version": 1}'
REFUSED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "link": (lambda f: linked(f, "result.json", "/etc/passwd"), "result.json", "not a regular file"),
    "link inside": (lambda f: linked(f, "result.json", "transcript.json"), "result.json", "not a regular file"),
    "pipe": (lambda f: fifo(f, "result.json"), "result.json", "not a regular file"),
    "list is a link": (lambda f: linked(f, "conversation.json", "result.json"), "conversation.json", "not a regular file"),
    "list is a pipe": (lambda f: fifo(f, "conversation.json"), "conversation.json", "not a regular file"),
    "left behind": (lambda f: (f / ".result.json.71-0.tmp").touch(), ".result.json.71-0.tmp", "is incomplete, write it again"),
    "list is gone": (lambda f: (f / "conversation.json").unlink(), "conversation.json", "is not there"),
    "path out": (named("../result.json"), "conversation.json", "'../result.json' is no plain name"),
    "path down": (named("a/result.json"), "conversation.json", "'a/result.json' is no plain name"),
    "path of Windows": (named("..\\result.json"), "conversation.json", "is no plain name"),
    "whole path": (named("/etc/passwd"), "conversation.json", "'/etc/passwd' is no plain name"),
    "dots": (named(".."), "conversation.json", "'..' is no plain name"),
    "empty name": (named(""), "conversation.json", "'' is no plain name"),
    "NUL": (named("a\0b"), "conversation.json", "is no plain name"),
    "line feed": (named("a\n"), "conversation.json", "is no plain name"),
    "device of Windows": (named("nul.json"), "conversation.json", "is no plain name"),
    "long name": (named("a" * 101), "conversation.json", "is no plain name"),
    "the list itself": (named("Conversation.json"), "conversation.json", "lists the parts and is none"),
    "twice": (rewritten(lambda m: m["parts"].append(m["parts"][0])), "conversation.json", "'result.json' is listed twice"),
    "twice but for case": (named("TRANSCRIPT.json"), "conversation.json", "'transcript.json' is listed twice"),
    "role twice": (rewritten(lambda m: m["parts"][1].update(role="result")), "conversation.json", "second part with the role"),
    "unknown role": (rewritten(lambda m: m["parts"][0].update(role="verdict")), "conversation.json", "parts[0].role"),
    "negative size": (rewritten(lambda m: m["parts"][0].update(bytes=-1)), "conversation.json", "parts[0].bytes"),
    "size beyond": (rewritten(lambda m: m["parts"][0].update(bytes=2**53 + 1)), "conversation.json", "parts[0].bytes"),
    "size as text": (rewritten(lambda m: m["parts"][0].update(bytes="3")), "conversation.json", "parts[0].bytes"),
    "no size": (rewritten(lambda m: m["parts"][0].pop("bytes")), "conversation.json", "'bytes' is missing"),
    "short hash": (rewritten(lambda m: m["parts"][0].update(sha256="ab")), "conversation.json", "parts[0].sha256"),
    "hash with a line feed": (rewritten(lambda m: m.update(id="0" * 64 + "\n")), "conversation.json", "id: "),
    "unknown field": (rewritten(lambda m: m.update(note="")), "conversation.json", "unknown field 'note'"),
    "field of one's own": (rewritten(lambda m: m.update({"x-note": ""})), "conversation.json", "unknown field 'x-note'"),
    "unknown field of a part": (rewritten(lambda m: m["parts"][0].update(url="")), "conversation.json", "field 'url'"),
    "version 2": (rewritten(lambda m: m.update(version=2)), "conversation.json", "version: must be the integer 1"),
    "version 1.0": (rewritten(lambda m: m.update(version=1.0)), "conversation.json", "version: must be the integer 1"),
    "another kind": (rewritten(lambda m: m.update(kind="hotato.suite")), "conversation.json", "kind: "),
    "no parts": (rewritten(lambda m: m.update(parts=[])), "conversation.json", "parts: "),
    "many parts": (rewritten(lambda m: m.update(parts=m["parts"] * 20)), "conversation.json", "parts: "),
    "no list": (rewritten(lambda m: m.update(parts="result.json")), "conversation.json", "parts: "),
    "key twice": (text(ONE), "conversation.json", "version"),
    "no object": (text(b"[]"), "conversation.json", "a mapping"),
    "torn": (text(b'{"kind": "hotato.conversation"'), "conversation.json", "1:31"),
    "empty": (text(b""), "conversation.json", "empty"),
    "no UTF-8": (text(b"\xff\xfe{"), "conversation.json", "UTF-16"),
    "deep": (text(b"[" * 100_000), "conversation.json", "deep"),
    "huge": (text(b" " * (17 << 20)), "conversation.json", "larger than 16 MB"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_trusted_is_refused_by_its_name(name: str, kept: Path, capsys: Out) -> None:
    change, part, said = REFUSED[name]
    change(kept)
    found = verify(str(kept.parent))
    (one,) = found["conversations"]
    assert (one["status"], found["exit_code"]) == ("refused", 2)
    assert [p for p in one["problems"] if p["part"] == part and said in p["message"]], one["problems"]
    assert main(["conversation", "verify", str(kept.parent)]) == 2
    told = capsys.readouterr()
    assert told.out.startswith("REFUSED")
    assert "Traceback" not in told.err
    if part == "result.json":  # what was changed as well decides the exit code
        (kept / "transcript.json").write_text("")
        assert row(kept)[0] == "changed"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("absent", "there is no such folder"),
        ("call/result.json", "not a folder"),
        ("empty", "holds no conversation"),
        ("a\0b", "outside"),
    ],
)
def test_where_there_is_no_conversation_nothing_is_intact(path: str, said: str, kept: Path, capsys: Out) -> None:
    (kept.parent / "empty").mkdir()
    (kept.parent / "empty" / "readme.txt").write_text("x")
    assert main(["conversation", "verify", str(kept.parent / path)]) == 2
    assert said in capsys.readouterr().err


def test_a_conversation_among_others_cannot_be_taken_away_by_its_list_alone(kept: Path) -> None:
    other = kept.parent / "other"
    shutil.copytree(kept, other)
    assert verify(str(kept.parent))["summary"] == {"conversations": 2, "intact": 2, "changed": 0, "refused": 0}
    (other / "conversation.json").unlink()
    assert verify(str(kept.parent))["summary"] == {"conversations": 2, "intact": 1, "changed": 0, "refused": 1}
    shutil.rmtree(other)
    other.symlink_to(kept)
    assert verify(str(kept.parent))["exit_code"] == 2
    assert verify(str(other))["exit_code"] == 0
    with pytest.raises(EvidenceError, match="an id is that of one"):
        verify(str(kept.parent), "0" * 64)


def test_a_part_is_bounded_before_it_is_read(kept: Path) -> None:
    with limits(part_bytes=2):
        status, problems = row(kept)
        assert status == "refused"
        assert (
            "result.json",
            "larger than 2 bytes, the most that is read; --limit part_bytes=N allows more",
        ) in problems
    with limits(part_bytes=len(FILES["voice_trace.jsonl"])):
        assert row(kept) == ("intact", [])


def test_a_file_that_is_exchanged_while_it_is_looked_at_is_refused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = verification.open_regular

    def exchanged(path: str, **more: Any) -> Any:
        return real(path.replace("result.json", "transcript.json"), **more)

    monkeypatch.setattr(verification, "open_regular", exchanged)
    assert row(kept) == ("refused", [("result.json", "became another file while it was read")])


def test_a_file_that_cannot_be_read_is_refused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(verification, "_hash", broken)
    assert row(kept)[0] == "refused"
    assert ("result.json", "input/output error") in row(kept)[1]


def test_where_reading_is_confined_a_conversation_outside_is_refused(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "call").symlink_to(kept)
    with reading_within(str(tmp_path / "inside")), pytest.raises(EvidenceError, match="outside"):
        verify(str(tmp_path / "inside" / "call"))
    with reading_within(str(tmp_path)):
        assert row(kept) == ("intact", [])


def test_no_mangled_list_is_taken_for_whole_or_raises(kept: Path) -> None:
    draw = random.Random(5)
    raw = (kept / "conversation.json").read_bytes()
    whole = manifest(kept)
    for _ in range(400):
        new = bytearray(raw)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(new))
            new[at : at + draw.randint(0, 4)] = draw.choice(
                [b"", b'"', b"{", b"\xff", b"9", b"e", b"../", b"null", b"\\u0000"]
            )
        (kept / "conversation.json").write_bytes(new)
        found = verify(str(kept))
        if not found["exit_code"]:
            assert manifest(kept) == whole


@pytest.mark.parametrize("ident", ["", "abc", "0" * 63 + "G", "A" * 64])
def test_an_id_that_is_none_is_refused(ident: str, kept: Path, capsys: Out) -> None:
    assert main(["conversation", "verify", str(kept), f"--id={ident}"]) == 2
    assert "--id" in capsys.readouterr().err


# records that were read ------------------------------------------------------------------------------------------------


def read(resource: str, observed: Any, when: str = "", **filters: Any) -> dict[str, Any]:
    return {"resource": resource, "filters": filters, **({"when": when} if when else {}), "observed": observed}


def test_records_are_kept_as_a_state_file_that_answers_as_the_system_did() -> None:
    assert of_records([], "recorded") == {}
    state = json.loads(
        of_records([read("orders", {"id": 1}, id=1), read("refunds", None, id=1)], "recorded")["state.json"]
    )
    assert state == {"adapter": "mock", "origin": "recorded", "data": {"orders": [{"id": 1}], "refunds": []}}
    both = of_records([read("orders", {"n": 1}, "before"), read("orders", {"n": 2}, "after")], "recorded")
    assert json.loads(both["state.json"])["data"] == {"before": {"orders": [{"n": 1}]}, "after": {"orders": [{"n": 2}]}}


def test_records_that_no_rows_answer_alike_are_kept_as_questions_and_answers() -> None:
    first, second = {"id": 1, "open": True}, {"id": 2, "open": True}
    state = json.loads(of_records([read("o", second, id=2), read("o", first, open=True)], "recorded")["state.json"])
    assert state["schema"] == "hotato.state_snapshot.v1"
    assert state["records"][1] == {"resource": "o", "filters": {"open": True}, "observed": first}


def test_a_part_has_a_role_that_is_known() -> None:
    with pytest.raises(KeyError):
        part_of("verdict.json", b"")
    assert part_of("call.wav", b"") == Part(name="call.wav", role="audio", bytes=0, sha256=sha256().hexdigest())

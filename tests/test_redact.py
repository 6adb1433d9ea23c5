"""Calls without personal data: what is masked, what stays, and that masking again changes nothing."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotato import assert_ as A
from hotato.cli import main
from hotato.cli._masking import mask, mask_value, turns_of
from hotato.context.transcript import turns
from hotato.match.pii import MASK, find

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT.parent / "shared" / "cases" / "pii" / "cases.jsonl"
EXAMPLES = sorted(folder.parent for folder in (ROOT / "examples").glob("*/assertions.yaml"))
CARD, GROUPED = "5555555555554444", "5555 5555 5555 4444"
SSN, MAIL = "219-09-9999", "kim.lee@example.org"
META = {"schema": "hotato.voice_trace.v1", "_meta": True}
Out = pytest.CaptureFixture[str]


def said(*texts: str, role: str = "caller") -> list[dict[str, Any]]:
    return [{"role": role, "text": text, "start": float(n), "end": n + 0.5} for n, text in enumerate(texts)]


def masked(transcript: Any = None, records: list[Any] | None = None, **more: Any) -> Any:
    """Return a transcript or the records of a trace, masked."""
    made, spans, _ = mask(copy.deepcopy(transcript), copy.deepcopy(records), **more)
    return spans if transcript is None else made


def span(**fields: Any) -> Any:
    """Return a span with some fields, masked, without its type."""
    made = masked(None, [{"type": "http_exchange", **fields}])[0]
    assert made.pop("type") == "http_exchange"
    return made


# where it may stand ----------------------------------------------------------------------------------------------------

FIELDS: dict[str, tuple[Any, Any]] = {
    "a text": ({"a": f"mail {MAIL} now"}, {"a": f"mail {MASK} now"}),
    "words that were said": ({"a": "kim at example dot org"}, {"a": MASK}),
    "a key": ({"a": {MAIL: 1}}, {"a": {MASK: 1}}),
    "two keys": ({"a": {MAIL: 1, "k@example.org": 2}}, {"a": {MASK: 1, f"{MASK} 2": 2}}),
    "a key beside a literal mask": ({"a": {MAIL: 1, MASK: 2}}, {"a": {f"{MASK} 2": 1, MASK: 2}}),
    "a number": ({"a": 5555555555554444}, {"a": MASK}),
    "a number of another sort": ({"a": 5555555555554445, "b": 12.5, "c": True}, ...),
    "a number that its name tells": ({"ssn": 219099999}, {"ssn": MASK}),
    "a name in one word": ({"callerPhone": "4155552671"}, {"callerPhone": MASK}),
    "an id without a name": ({"order": "219099999"}, ...),
    "a list of pieces": ({"a": ["5555", "5555", "5555", "4444"]}, {"a": [MASK] * 4}),
    "a list of other pieces": ({"a": ["5555", "5555", "5555", "4445"]}, ...),
    "JSON in a text": ({"a": '{"b": [5555555555554444, "x"]}'}, {"a": '{"b": ["[REDACTED]", "x"]}'}),
    "other JSON in a text": ({"a": '{"b":1,  "c": "x"}'}, ...),
    "an address": (
        {"url": "https://me:pw@x.example/p?m=kim.lee%40example.org&token=t0k&n=5555+5555+5555+4444"},
        {"url": f"https://REDACTED@x.example/p?m={MASK}&token=REDACTED&n={MASK}"},
    ),
    "a password": ({"headers": {"Authorization": "Bearer abc", "X-Api-Key": 12}}, {"headers": {"Authorization": MASK, "X-Api-Key": MASK}}),
    "an empty password": ({"password": "", "pin": None}, ...),
    "deep down": ({"a": [{"b": [{"c": SSN}]}]}, {"a": [{"b": [{"c": MASK}]}]}),
    "an error": ({"error": {"message": f"no account for {SSN}"}}, {"error": {"message": f"no account for {MASK}"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_is_masked_where_it_holds_personal_data(name: str) -> None:
    given_, wanted = FIELDS[name]
    assert span(**given_) == (given_ if wanted is ... else wanted)


def test_a_number_said_over_turns_is_masked_in_each() -> None:
    transcript = said("What is the number?", role="agent") + said("five five five five, five five five five")
    transcript += said("uh-huh", role="agent") + said("five five five five four four four four please")
    for number, turn in enumerate(transcript):
        turn["start"] = float(number)
    made = masked(transcript)
    assert [turn["text"] for turn in made] == ["What is the number?", MASK, "uh-huh", f"{MASK} please"]
    assert [turn["start"] for turn in made] == [0.0, 1.0, 2.0, 3.0]


def test_what_is_found_once_is_masked_where_nothing_tells_what_it_is() -> None:
    transcript = said("My social security number is 219 09 9999.")
    records = [{"type": "tool_call", "name": "t", "arguments": {"a": "219099999", "b": 219099999, "c": "2190999991"}}]
    _, spans, told = mask(transcript, records)
    assert spans is not None
    assert spans[0]["arguments"] == {"a": MASK, "b": MASK, "c": "2190999991"}
    assert told.counts == {"ssn": 3}


def test_words_of_a_masked_place_are_masked_with_their_times_kept() -> None:
    words = [{"word": w, "punctuated_word": w.title(), "start": float(n)} for n, w in enumerate(GROUPED.split())]
    turn = {
        "role": "caller",
        "text": f"it is {GROUPED}, ok",
        "words": [{"word": "it"}, {"word": "is"}, *words, {"word": "ok"}],
    }
    made = masked([turn])[0]
    assert made["text"] == f"it is {MASK}, ok"
    assert [word["word"] for word in made["words"]] == ["it", "is", MASK, MASK, MASK, MASK, "ok"]
    assert [word.get("start") for word in made["words"]] == [None, None, 0.0, 1.0, 2.0, 3.0, None]
    assert {word.get("punctuated_word") for word in made["words"]} == {None, MASK}


def test_words_that_say_it_otherwise_than_the_text_are_all_masked() -> None:
    words = [{"word": word} for word in ("it", "is", "fifty-fivefold", "ok")]
    made = masked([{"role": "caller", "text": f"it is {GROUPED}, ok", "words": words}])[0]
    assert [word["word"] for word in made["words"]] == [MASK] * 4


def test_words_are_masked_where_the_text_alone_is_found_by_the_turn_before() -> None:
    transcript = said("five five five five five five five five") + said("five five five five four four four four")
    transcript[1]["start"] = 1.0
    for turn in transcript:
        turn["words"] = turn["text"].split()
    made = masked(transcript)
    assert [turn["text"] for turn in made] == [MASK, MASK]
    assert {word for turn in made for word in turn["words"]} == {MASK}


def test_other_turns_are_no_list_of_words() -> None:
    transcript = [{"role": "caller", "text": text} for text in ("yes", GROUPED.replace(" ", ""), "no")]
    assert [turn["text"] for turn in masked(transcript)] == ["yes", MASK, "no"]


def test_keys_that_were_pressed_are_read_together() -> None:
    one = [{"type": "dtmf", "digit": key, "time_sec": float(n)} for n, key in enumerate(CARD + "#")]
    assert [record["digit"] for record in masked(None, one)] == [MASK] * 16 + ["#"]
    whole = [{"type": "dtmf", "digits": "1234#"}, {"type": "dtmf", "digits": f"{CARD}#"}]
    assert [record["digits"] for record in masked(None, whole)] == ["1234#", f"{MASK}#"]
    as_numbers = [{"type": "dtmf", "digit": int(key)} for key in CARD]
    assert {record["digit"] for record in masked(None, as_numbers)} == {MASK}
    assert masked(None, one[:8]) == one[:8]


def test_partial_transcripts_are_masked_where_anything_is_found() -> None:
    partial = [{"type": "asr_partial", "text": "five five"}, {"type": "asr_partial", "text": GROUPED[:7]}]
    final = {"type": "asr_final", "text": f"it is {GROUPED}", "role": "caller"}
    assert [record["text"] for record in masked(None, [*partial, final])] == [MASK, MASK, f"it is {MASK}"]
    assert masked(None, partial) == partial


def test_roles_names_ids_and_the_meta_line_are_masked() -> None:
    meta = {**META, "call_id": f"sip:{MAIL}", "deployment": {"agent_id": "a-1"}}
    records = [meta, {"type": "tool_call", "name": f"look up {MAIL}", "start_sec": 5555555555554444}]
    made = masked(None, records)
    assert made[0] == {**META, "call_id": f"sip:{MASK}", "deployment": {"agent_id": "a-1"}}
    assert made[1] == {"type": "tool_call", "name": f"look up {MASK}", "start_sec": 5555555555554444}
    assert masked([{"role": f"caller {MAIL}", "text": "hi"}]) == [{"role": f"caller {MASK}", "text": "hi"}]


def test_planned_text_is_read_for_itself() -> None:
    turn = {"role": "agent", "text": "Your mail", "planned_text": f"Your mail is {MAIL}"}
    assert masked([turn]) == [{"role": "agent", "text": "Your mail", "planned_text": f"Your mail is {MASK}"}]


def test_named_fields_are_masked_whole() -> None:
    record = {
        "type": "tool_call",
        "name": "t",
        "arguments": {"customer": {"name": "Kim", "tags": ["a", 1, None, True]}, "name": "x"},
    }
    made = masked(None, [record], fields=["customer.name"])[0]
    assert made["arguments"] == {"customer": {"name": MASK, "tags": ["a", 1, None, True]}, "name": "x"}
    made = masked(None, [record], fields=["CUSTOMER"])[0]
    assert made["arguments"] == {"customer": {"name": MASK, "tags": [MASK, MASK, None, True]}, "name": "x"}
    assert masked(None, [made], fields=["customer"]) == [made]


def test_opaque_masks_tell_no_length() -> None:
    one, two = (
        masked([{"role": "caller", "text": text, "words": [{"w": w, "start": n, "end": n + 1} for n, w in enumerate(text.split())]}], opaque=True)
        for text in (f"{MAIL} a", f"{GROUPED} a")
    )  # fmt: skip
    assert one[0]["text"] == two[0]["text"] == f"{MASK} a"
    assert one[0]["words"] == [{"w": MASK, "start": 0, "end": 1}, {"w": "a", "start": 1, "end": 2}]
    assert two[0]["words"] == [{"w": MASK, "start": 0, "end": 4}, {"w": "a", "start": 4, "end": 5}]
    several = said(f"{MAIL}, {SSN}")
    assert masked(several)[0]["text"] == f"{MASK}, {MASK}"
    assert masked(several, opaque=True)[0]["text"] == MASK


def test_a_text_without_personal_data_stays_as_it_is() -> None:
    transcript = {
        "segments": said("Order 12345678 ships on 2026-05-04 at 10:30.", "Version 1.2.3, 42 dollars."),
        "id": 7,
    }
    assert masked(transcript) == transcript
    assert mask_value({"a": [1, None, "b"]}) == {"a": [1, None, "b"]}


# laws ------------------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    (CARD, GROUPED, SSN, MAIL, "kim at example dot org", "five five five five", "four four four four", "555 555", "2671",
     "415", "card", "my number is", "\u0665\u0665\u0665\u0665", "yes", MASK, "@", "1", ".", "-", '{"a": ', "}", "%40", "://", "token=")
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map(" ".join)
VALUES = st.recursive(
    TEXTS | st.integers(0, 10**17) | st.floats(0, 10**9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
SPOKEN = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(("agent", "caller", f"x {MAIL}")), "text": TEXTS, "words": VALUES}),
    max_size=5,
)
RECORDS = st.lists(st.fixed_dictionaries({"type": st.sampled_from(("tool_call", "asr_partial", "dtmf")), "digits": TEXTS, "a": VALUES}), max_size=4)  # fmt: skip


@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(transcript=SPOKEN, records=RECORDS, opaque=st.booleans())
def test_masking_again_changes_nothing_and_masking_keeps_the_shape(
    transcript: list[Any], records: list[Any], opaque: bool
) -> None:
    first = mask(copy.deepcopy(transcript), copy.deepcopy(records), opaque=opaque)
    again = mask(copy.deepcopy(first[0]), copy.deepcopy(first[1]), opaque=opaque)
    assert (again[0], again[1]) == (first[0], first[1])
    assert not again[2].counts
    assert len(first[0]) == len(transcript)
    assert find(turns([{"role": t["role"], "text": t["text"]} for t in first[0]])) == []
    if not opaque:
        assert shape(first[0]) == shape(transcript)
        assert len(first[1] or ()) == len(records)


def shape(value: Any) -> Any:
    """Return how a value is nested, and how many there are of everything."""
    if type(value) is dict:
        return [shape(inner) for inner in value.values()]
    return [shape(inner) for inner in value] if type(value) is list else 0


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this repository")
def test_the_cases_of_personal_data_hold_nothing_once_masked() -> None:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        transcript = case.get("turns") or [{"role": case["role"], "text": case["text"]}]
        made = masked(transcript)
        assert find(turns(made)) == [], case["id"]
        assert masked(made) == made, case["id"]
        assert masked(transcript) == made, case["id"]


def judged(folder: Path, transcript: Any, records: list[Any]) -> dict[str, Any]:
    from hotato.state_adapter import load_state_adapter

    state = folder / "state.json"
    spans = [record for record in records if not record.get("_meta")]
    adapter = load_state_adapter(state) if state.exists() else None
    ctx = A.build_context(transcript=transcript, spans=spans, state_adapter=adapter)
    results = A.run_assertions_from_file(folder / "assertions.yaml", ctx)["results"]
    return {result["id"]: result["status"] for result in results if result["kind"] != "pii"}


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_a_redacted_call_is_judged_as_before(folder: Path) -> None:
    transcript = json.loads((folder / "transcript.json").read_text(encoding="utf-8"))
    records = [json.loads(line) for line in (folder / "voice_trace.jsonl").read_text(encoding="utf-8").splitlines()]
    said_so_far = turns_of(transcript)
    assert said_so_far is not None
    last = max(turn.get("end") or 0.0 for turn in said_so_far)
    said_so_far.append(
        {"role": "caller", "text": f"By the way, {GROUPED} and {MAIL}.", "start": last + 1, "end": last + 2}
    )
    for record in records:
        if type(record.get("arguments")) is dict:
            record["arguments"]["note_of_the_test"] = [MAIL, CARD]
    before = judged(folder, transcript, records)
    made, spans, told = mask(copy.deepcopy(transcript), copy.deepcopy(records))
    assert set(told.counts) >= {"card_luhn", "email"}
    assert judged(folder, made, spans or []) == before


# the command -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a transcript and a trace that hold personal data, in which the test runs."""
    (tmp_path / "t.json").write_text(
        json.dumps({"segments": said(f"My mail is {MAIL}.", "Thanks."), "phone": "+14155552671"})
    )
    records = [
        META,
        {"type": "tool_call", "name": "t", "start_sec": 1.0, "arguments": {"mail": MAIL, "who": {"name": "Kim"}}},
    ]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    vtt = f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v {MAIL}>My mail is {MAIL}\n\n00:03.000 --> 00:04.000\n<v Agent>ok\n"
    (tmp_path / "call.vtt").write_text(vtt)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capfd: Out, *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capfd.readouterr()
    return code, out, err


def test_redacting_writes_files_and_tells_what_it_masked(folder: Path, capfd: Out) -> None:
    code, out, err = run(capfd, "redact", "--transcript", "t.json", "--trace", "v.jsonl", "--out", "d")
    assert (code, out) == (0, "wrote d/transcript.json\nwrote d/voice_trace.jsonl\n")
    assert err == "masked email: 2\nmasked phone: 1\n"
    assert json.loads(Path("d/transcript.json").read_text()) == {
        "segments": said(f"My mail is {MASK}.", "Thanks."),
        "phone": MASK,
    }
    lines = [json.loads(line) for line in Path("d/voice_trace.jsonl").read_text().splitlines()]
    assert lines[1] == {
        "type": "tool_call",
        "name": "t",
        "start_sec": 1.0,
        "arguments": {"mail": MASK, "who": {"name": "Kim"}},
    }
    code, _, err = run(
        capfd, "redact", "--transcript", "d/transcript.json", "--trace", "d/voice_trace.jsonl", "--out", "e"
    )
    assert (code, err) == (0, "masked: nothing\n")
    for name in ("transcript.json", "voice_trace.jsonl"):
        assert (folder / "d" / name).read_bytes() == (folder / "e" / name).read_bytes()


def test_a_report_for_programs_has_the_places_unless_opaque(folder: Path, capfd: Out) -> None:
    words = ["redact", "--transcript", "t.json", "--out", "o.json", "--force", "--format", "json"]
    code, out, err = run(capfd, *words)
    answer = json.loads(out)
    place = {"source": "transcript", "turn": 0, "start": 11, "end": 11 + len(MAIL), "detector": "email"}
    assert (code, err) == (0, "")
    assert answer == {"ok": True, "files": ["o.json"], "masked": {"email": 1, "phone": 1}, "places": [place]}
    assert "places" not in json.loads(run(capfd, *words, "--opaque")[1])


def test_a_field_that_is_not_there_is_told(folder: Path, capfd: Out) -> None:
    words = ["redact", "--trace", "v.jsonl", "--out", "o.jsonl", "--force", "--field"]
    assert "no such field" in run(capfd, *words, "who.nmae")[2]
    assert run(capfd, *words, "who.name")[2] == "masked email: 1\nmasked field: 1\n"
    assert "Kim" not in Path("o.jsonl").read_text()


def test_a_call_of_another_system_is_imported_and_redacted(folder: Path, capfd: Out) -> None:
    code, _, err = run(capfd, "redact", "--call", "call.vtt", "--out", "d")
    assert code == 0
    assert "masked email" in err
    assert os.listdir("d") == ["transcript.json"]
    assert MAIL not in Path("d/transcript.json").read_text()
    code, *_ = run(capfd, "call", "import", "call.vtt", "--out", "i", "--mask")
    assert code == 0
    assert Path("i/transcript.json").read_bytes() == Path("d/transcript.json").read_bytes()
    assert MAIL not in Path("i/import-report.json").read_text()


def test_a_trace_can_be_masked_as_it_is_ingested(folder: Path, capfd: Out) -> None:
    assert main(["trace", "export", "--trace", "v.jsonl", "--out", "b.jsonl"]) == 0
    assert main(["trace", "ingest", "--otel", "b.jsonl", "--out", "w.jsonl", "--mask"]) == 0
    assert MAIL in Path("b.jsonl").read_text()
    assert MAIL not in Path("w.jsonl").read_text()
    capfd.readouterr()


REFUSED = {
    "redact --out d": "needs --transcript FILE, --trace FILE or --call FILE",
    "redact --transcript t.json": "needs --out PATH",
    "redact --transcript t.json --call call.vtt --out d": "--transcript: the file of --call holds the whole call",
    "redact --transcript - --trace - --out d": "standard input can be read once",
    "redact --transcript t.json --out -": "names a file or a folder",
    "redact --transcript t.json --out t.json --force": "would write over the file that is read",
    "redact --transcript t.json --out v.jsonl": "exists already",
    "redact --transcript t.json --out d --field a..b": "needs a name",
    "redact --transcript t.json --out d --call-id x": "means nothing without --call",
    "redact --transcript v.jsonl --trace t.json --out d": "v.jsonl",
    "redact --transcript none.json --out d": "no such file",
    "redact --transcript t.json --out . --force": "would stand beside",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_redacted_is_refused_and_nothing_is_written(line: str, folder: Path, capfd: Out) -> None:
    if "--out . " in line:
        (folder / "voice_trace.jsonl").write_text("of another call\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(capfd, *line.split())
    assert (code, out) == (2, "")
    assert REFUSED[line] in err
    assert not re.search("kim|lee|example", err)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

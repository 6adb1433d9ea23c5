"""Transcripts of speech-to-text: the cases of conformance/importers/, real files, and damaged ones."""

from __future__ import annotations

import copy
import json
import random
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hotato.context.transcript import turns
from hotato.importers import _speech
from hotato.importers._importer import Content, Damage, Imported, Options
from hotato.model import codec

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT.parent / "shared" / "samples"
FORMATS = (
    "webvtt", "srt", "tsv", "deepgram", "assemblyai", "aws_call_analytics", "aws_transcribe", "aws_bedrock",
    "azure_speech", "google_speech", "whisperx", "whisper", "twilio_intelligence",
)  # fmt: skip
MODULES: dict[str, ModuleType] = {name: import_module(f"hotato.importers.{name}") for name in FORMATS}


def content_of(text: str) -> Content:
    raw = text.encode("utf-8", "surrogatepass")
    plain = text.removeprefix("\ufeff")
    given_lines = [(n, line) for n, line in enumerate(plain.split("\n"), 1) if line.strip()]
    for shape, pieces in (("document", [(1, plain)]), ("lines", given_lines)):
        try:
            values = [codec.decode(line) for _, line in pieces]
        except codec.JsonError:
            continue
        return Content(name="f", raw=raw, text=text, shape=shape, values=values, lines=[n for n, _ in pieces])
    return Content(name="f", raw=raw, text=text, shape="text", values=[], lines=[])


def case_text(case: dict[str, Any]) -> str:
    if "lines" in case:
        return "".join(json.dumps(value) + "\n" for value in case["lines"])
    return case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])


def loaded() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name in FORMATS:
        file = yaml.safe_load((ROOT / "conformance" / "importers" / name / "cases.yaml").read_text(encoding="utf-8"))
        assert file["format"] == name
        found += [(name, case) for case in file["cases"]]
    return found


CASES = loaded()


def way(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).removeprefix(".")


def matching(content: Content) -> list[str]:
    return [name for name in FORMATS if MODULES[name].matches(content)]


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda v: v if isinstance(v, str) else v["name"])
def test_a_case_comes_out_as_it_says(name: str, case: dict[str, Any]) -> None:
    content = content_of(case_text(case))
    options = Options(**case.get("options", {}))
    assert matching(content) == [name]
    if "refused" in case:
        with pytest.raises(Damage) as caught:
            MODULES[name].read(content, options)
        expected = case["refused"][0]
        assert way(caught.value.path) == expected["path"]
        assert caught.value.line == expected.get("line", caught.value.line)
        return
    found: Imported = MODULES[name].read(content, options)
    assert found.format == name
    assert found.spans is None
    assert found.transcript == case["expect"]["transcript"]
    assert sorted(note.code for note in found.notes) == case["expect"]["notes"]
    assert found.call_id == case["expect"].get("call_id")
    turns(found.transcript)


def test_every_note_has_a_case() -> None:
    noted = {code for _, case in CASES for code in case.get("expect", {}).get("notes", [])}
    assert {*_speech.NOTES, "roles_unknown", "role_map_unused"} <= noted


def test_a_transcript_of_our_own_is_of_no_format_here() -> None:
    segment = {"role": "agent", "text": "Hi", "start": 0.0, "end": 1.0}
    for own in (
        [segment],
        {"segments": [segment]},
        {"text": "Hi", "language": "en", "segments": [{**segment, "tokens": []}]},
    ):
        assert matching(content_of(json.dumps(own))) == []


def test_a_note_on_roles_names_the_labels_and_the_remedy_and_nothing_that_was_said() -> None:
    content = content_of("WEBVTT\n\n00:00.000 --> 00:01.000\n<v A>secret\n\n00:01.000 --> 00:02.000\n<v B>secret\n")
    (note,) = MODULES["webvtt"].read(content, Options()).notes
    assert note.code == "roles_unknown"
    assert note.count == 2
    assert "(A, B)" in note.message
    assert "--map-role A=agent" in note.message
    assert "secret" not in note.message


def test_a_time_that_is_not_a_number_is_no_time() -> None:
    value = {"segments": [{"start": float("nan"), "end": float("inf"), "text": "Hi", "tokens": []}]}
    content = Content(name="f", raw=b"", text="", shape="document", values=[value], lines=[1])
    found = MODULES["whisper"].read(content, Options())
    assert found.transcript == [{"role": "unknown", "text": "Hi"}]
    assert "turns_without_time" in {note.code for note in found.notes}


# Real files.


def sample(path: str) -> Content:
    file = SAMPLES / path
    if not file.is_file():
        pytest.skip(f"the sample {path} is not beside this checkout, so this was not tried")
    return content_of(file.read_bytes().decode("utf-8"))


def spoken(path: str, name: str, **roles: str) -> list[dict[str, Any]]:
    content = sample(path)
    assert matching(content) == [name]
    found = MODULES[name].read(content, Options(roles=roles)).transcript
    turns(found)
    return found


def test_call_analytics_has_37_turns_of_two_parties_of_which_12_overlap() -> None:
    found = spoken("stt-aws/example-call.transcribe-call-analytics.json", "aws_call_analytics")
    assert len(found) == 37
    assert {turn["role"] for turn in found} == {"agent", "caller"}
    assert sum(b["start"] < a["end"] for a, b in pairwise(found)) == 12


def test_a_deepgram_call_of_three_speakers_has_22_utterances() -> None:
    found = spoken("stt-deepgram/dg_speakers.json", "deepgram")
    who = [turn["role"] for turn in found]
    assert [who.count(label) for label in ("0", "1", "2")] == [5, 12, 5]


@pytest.mark.parametrize(
    ("path", "name"),
    [("whisperx_speakers.vtt", "webvtt"), ("whisperx_speakers.srt", "srt"), ("whisperx_speakers.aud", "tsv")],
)
def test_subtitles_of_that_call_say_the_same(path: str, name: str) -> None:
    def said(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
        return [(turn["role"].removeprefix("SPEAKER_0"), turn["text"]) for turn in found]

    expected = spoken("stt-deepgram/dg_speakers.json", "deepgram")
    assert said(spoken(f"subtitles/{path}", name)) == said(expected)


def test_both_captions_of_that_call_give_each_cue_the_same_speaker() -> None:
    vtt = spoken("subtitles/deepgram_captions_speakers.vtt", "webvtt")
    srt = spoken("subtitles/deepgram_captions_speakers.srt", "srt")
    assert [(t["role"].lower(), t["text"]) for t in vtt] == [(t["role"], t["text"]) for t in srt]
    assert len(vtt) == 38


def test_whisper_says_the_same_in_every_form() -> None:
    expected = spoken("stt-whisper/whisper_timestamped.json", "whisper")
    assert len(expected) == 4
    for path, name in (("openai_whisper.vtt", "webvtt"), ("openai_whisper.srt", "srt"), ("openai_whisper.tsv", "tsv")):
        assert spoken(f"subtitles/{path}", name) == expected


def test_every_sample_of_speech_is_of_one_format_and_no_other_is_of_any() -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the samples are not beside this checkout, so this was not tried")
    for file in sorted(SAMPLES.glob("*/*")):
        try:
            content = content_of(file.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            continue
        named = file.relative_to(SAMPLES).as_posix()
        mine = named.startswith(("stt-", "subtitles/")) or "intelligence" in named
        has_times = file.suffix != ".txt" and file.name != "SOURCE.txt"
        found = matching(content)
        assert len(found) == (1 if mine and has_times else 0), named
        for name in found:
            assert turns(MODULES[name].read(content, Options()).transcript), named


# Laws.


@given(st.permutations(range(6)))
def test_the_order_of_cues_in_a_file_does_not_matter(order: list[int]) -> None:
    cues = [f"{i + 1}\n00:00:0{i},000 --> 00:00:0{i},900\nspeaker {i % 2}: word {i}\n" for i in range(6)]
    shuffled = MODULES["srt"].read(content_of("\n".join(cues[i] for i in order)), Options())
    assert shuffled == MODULES["srt"].read(content_of("\n".join(cues)), Options())


@given(st.text(alphabet=st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_a_cue_gives_all_of_its_letters_to_a_turn(text: str) -> None:
    content = content_of(f"1\n00:00:01,000 --> 00:00:02,000\nx{text}\n")
    try:
        found = MODULES["srt"].read(content, Options())
    except Damage:
        return
    letters = [c for c in f"x{text}" if c.isalnum()]
    if "<" not in text and ":" not in text:  # tags and names may be taken out
        assert [c for turn in found.transcript for c in turn["text"] if c.isalnum()] == letters


@given(st.integers(0, 10**9), st.integers(0, 10**6))
def test_milliseconds_are_exact(start: int, length: int) -> None:
    value = {
        "audio_segments": [{"start_timestamp_millis": start, "end_timestamp_millis": start + length, "text": "Hi"}]
    }
    (turn,) = MODULES["aws_bedrock"].read(content_of(json.dumps(value)), Options()).transcript
    assert (round(turn["start"] * 1000), round(turn["end"] * 1000)) == (start, start + length)
    assert turn["start"] == start / 1000


# Damage: whatever a file holds, it is read or refused.

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "00", "PT", "NaN", "1_0", [], {}, [[]], [None], {"": None}, "\udc80", "-->",
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def mutated(value: Any, chance: random.Random) -> Any:
    out = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(places(out))
        if not path:
            continue
        holder = out
        for key in path[:-1]:
            holder = holder[key]
        action = chance.randrange(4)
        if action == 0:
            del holder[path[-1]]
        elif action == 1 and isinstance(holder, dict):
            holder[str(path[-1]) + "s"] = holder.pop(path[-1])
        elif action == 2 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
        else:
            holder[path[-1]] = copy.deepcopy(chance.choice(ODD))
    return out


def reads_or_refuses(name: str, content: Content, options: Options) -> None:
    matching(content)
    try:
        found = MODULES[name].read(content, options)
    except Damage:
        return
    assert found == MODULES[name].read(content, options)
    turns(found.transcript)
    assert all(note.count > 0 for note in found.notes)


JSON_CASES = [(n, c) for n, c in CASES if not isinstance(c.get("input"), str)]
TEXT_CASES = [(n, c["input"]) for n, c in CASES if isinstance(c.get("input"), str)]


@settings(max_examples=600, deadline=None)
@given(st.integers(0, len(JSON_CASES) - 1), st.integers(0, 2**32))
def test_a_damaged_value_is_read_or_refused(which: int, seed: int) -> None:
    name, case = JSON_CASES[which]
    value = mutated(case.get("lines", case.get("input")), random.Random(seed))
    lines = isinstance(value, list) and "lines" in case
    values = value if lines else [value]
    shape = "lines" if lines else "document"
    content = Content(name="f", raw=b"", text="", shape=shape, values=values, lines=list(range(1, len(values) + 1)))
    reads_or_refuses(name, content, Options(**case.get("options", {})))


PIECES = ["\n", "\r", "\n\n", "-->", " --> ", "00:00:01,000", "00:01.000", "<v", "<v A>", "</v>", ">", ">>", "- ", "[", "]: ",
          "[[A]]", "Agent: ", "1", "\t", "NOTE", "WEBVTT", "&amp;", "&#0;", "\ufeff", "\u2028", "\x00", "\udc80", "x" * 50]  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(
    st.integers(0, len(TEXT_CASES) - 1),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(PIECES)), max_size=4),
)
def test_a_damaged_text_is_read_or_refused(which: int, edits: list[tuple[float, int, str]]) -> None:
    name, text = TEXT_CASES[which]
    for where, length, piece in edits:
        place = int(where * len(text))
        text = text[:place] + piece + text[place + length :]
    reads_or_refuses(name, content_of(text), Options())


@pytest.mark.parametrize("name", FORMATS)
def test_content_of_another_kind_is_refused(name: str) -> None:
    for text in ("", "{}", "[]", "null", "5", '"x"', "[1]", "hello\nworld", '{"a": 1}\n{"a": 2}'):
        content = content_of(text)
        assert not MODULES[name].matches(content)
        if name == "tsv" and not text:
            continue
        reads_or_refuses(name, content, Options())

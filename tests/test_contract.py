"""Contracts: kept, broken, changed behind our back, and sent as archives by somebody who means harm."""

from __future__ import annotations

import json
import os
import shutil
import stat
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from hotato import assert_ as A
from hotato.cli import main
from hotato.context.confined import reading_within
from hotato.core import verify_bundle
from hotato.errors import EvidenceError, UsageError
from hotato.model.limits import limits
from hotato.timing import Config, Label, Recording, archive, bundle, contract

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "src" / "hotato" / "timing" / "suites" / "barge_in"
YIELDS, HOLDS = SUITE / "hard-interruption.flac", SUITE / "backchannel.flac"


def kept(folder: Path, name: str = "one", sound: Path = YIELDS, **label: Any) -> Path:
    place, _ = contract.create(Recording(stereo=sound), Label(**label), Config(), name=name, folder=str(folder))
    return Path(place)


def code_of(folder: Path) -> str:
    row = contract.verify(str(folder))["contracts"][0]
    return str(row.get("code", row["status"]))


def test_a_contract_is_kept_while_its_audio_meets_the_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["contract", "create", "--stereo", str(YIELDS), "--expect", "yield", "--id", "one", "--out", str(tmp_path)]
    assert main([*told, "--max-time-to-yield", "0.8"]) == 0
    assert main(["contract", "verify", str(tmp_path / "one.hotato")]) == 0
    assert main(["contract", "inspect", str(tmp_path / "one.hotato"), "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out.rpartition("\n1 contract: 1 kept\n")[2])
    assert shown["contract"]["policy"] == {"expect": "yield", "max_time_to_yield_sec": 0.8}
    assert main(told) == 2
    assert "exists already" in capsys.readouterr().err
    assert main([*told[:-3], "late", "--out", str(tmp_path), "--max-time-to-yield", "0.2"]) == 1
    assert main(["contract", "verify", str(tmp_path)]) == 1
    assert "1 kept, 1 broken" in capsys.readouterr().out
    assert verify_bundle(str(tmp_path)) == (2, 1, 0)


def test_a_recording_that_no_wav_file_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_MOST_WAV", 100_000)
    with pytest.raises(UsageError, match="longer than a WAV file can hold"):
        kept(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_same_recording_makes_the_same_bundle_and_archive(tmp_path: Path) -> None:
    made = [kept(tmp_path / name) for name in ("a", "b")]
    files = [{str(f.relative_to(one)): f.read_bytes() for f in one.rglob("*") if f.is_file()} for one in made]
    assert files[0] == files[1]
    for place, name in zip(made, ("a.zip", "b.zip"), strict=True):
        archive.pack(str(place), str(tmp_path / name))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        told = [(one.filename, one.date_time, one.create_system, one.external_attr >> 16) for one in packed.infolist()]
    names = ["contract.json", "audio/event.wav", "evidence/frames.jsonl"]
    assert told == [(name, (1980, 1, 1, 0, 0, 0), 3, stat.S_IFREG | 0o644) for name in names]


def test_the_contracts_of_a_folder_are_verified_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "d", "a", "c"):
        (tmp_path / f"{name}.hotato").mkdir()
    found = contract.verify(str(tmp_path))
    assert [Path(row["bundle"]).name[0] for row in found["contracts"]] == list("abcd")
    assert {row["status"] for row in found["contracts"]} == {"unverified"}


@pytest.mark.parametrize("subtype", ["PCM_24", "FLOAT", "PCM_16"])
def test_the_audio_of_a_bundle_scores_as_its_source_does(tmp_path: Path, subtype: str) -> None:
    samples, rate = soundfile.read(YIELDS)
    soundfile.write(tmp_path / "caller.wav", samples[:, 0], rate, subtype=subtype)
    soundfile.write(tmp_path / "agent.wav", samples[:, 1], rate, subtype=subtype)
    soundfile.write(tmp_path / "turned.wav", samples[:, ::-1], rate, subtype=subtype)
    sides = Recording(caller=tmp_path / "caller.wav", agent=tmp_path / "agent.wav")
    turned = Recording(stereo=tmp_path / "turned.wav", caller_channel=1, agent_channel=0)
    made = [
        contract.create(one, Label(), Config(), name=name, folder=str(tmp_path))[1]
        for one, name in ((sides, "sides"), (turned, "turned"), (Recording(stereo=YIELDS), "whole"))
    ]
    assert made[0].files == made[1].files
    assert made[0].measurement == made[1].measurement == made[2].measurement
    assert contract.verify(str(tmp_path))["summary"]["kept"] == 3


@pytest.mark.parametrize(
    ("subtype", "kept_as", "bits"), [("PCM_16", "PCM_16", 16), ("PCM_U8", "PCM_16", 16), ("PCM_24", "PCM_24", 24), ("DOUBLE", "PCM_24", 24)]
)  # fmt: skip
def test_the_samples_of_a_bundle_are_those_of_its_source(tmp_path: Path, subtype: str, kept_as: str, bits: int) -> None:
    samples, rate = soundfile.read(YIELDS)
    samples = samples[: 4 * rate]
    samples[:3, 0] = [1.5, -1.5, 0.25]  # what is beyond full scale is cut off there
    soundfile.write(tmp_path / "source.wav", samples, rate, subtype=subtype)
    source, _ = soundfile.read(tmp_path / "source.wav")
    bundled = kept(tmp_path, sound=tmp_path / "source.wav") / "audio" / "event.wav"
    assert soundfile.info(bundled).subtype == kept_as
    step = 2.0 ** (1 - bits)
    assert np.abs(soundfile.read(bundled)[0] - np.clip(source, -1, 1 - step)).max() <= step


def test_an_archive_larger_than_is_read_is_refused(tmp_path: Path) -> None:
    archive.pack(str(kept(tmp_path)), str(tmp_path / "one.zip"))
    with limits(file_bytes=1000), pytest.raises(EvidenceError) as caught:
        archive.unpack(str(tmp_path / "one.zip"), str(tmp_path / "out"))
    assert caught.value.problems[0].code == "file_too_large"
    assert caught.value.problems[0].message.startswith("larger than is read")


def test_sides_of_different_rates_are_no_contract(tmp_path: Path) -> None:
    samples, rate = soundfile.read(YIELDS)
    soundfile.write(tmp_path / "caller.wav", samples[:, 0], rate)
    soundfile.write(tmp_path / "agent.wav", samples[::2, 1], rate // 2)
    sides = Recording(caller=tmp_path / "caller.wav", agent=tmp_path / "agent.wav")
    with pytest.raises(UsageError, match=r"agent\.wav: has another sampling rate"):
        contract.create(sides, Label(), Config(), name="one", folder=str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_what_allows_no_verdict_is_no_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples, rate = soundfile.read(YIELDS)
    soundfile.write(tmp_path / "silent.wav", samples * [0, 1], rate)
    told = ["contract", "create", "--stereo", str(tmp_path / "silent.wav"), "--id", "one", "--out", str(tmp_path)]
    assert main(told) == 2
    assert "cannot be made a contract" in capsys.readouterr().err
    assert not (tmp_path / "one.hotato").exists()
    for name in ("../one", "a/b", ".", "con", "CON.x", "x.", "", "a" * 101, "\u00e9", "-x"):
        told = ["contract", "create", "--stereo", str(YIELDS), f"--id={name}", "--out", str(tmp_path)]
        assert main(told) == 2, name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["silent.wav"]


def audio(folder: Path) -> None:
    samples, rate = soundfile.read(folder / "audio" / "event.wav", dtype="int16")
    soundfile.write(folder / "audio" / "event.wav", samples // 2, rate, subtype="PCM_16")


def frames(folder: Path) -> None:
    with (folder / "evidence" / "frames.jsonl").open("a") as file:
        file.write("{}\n")


def lost(folder: Path) -> None:
    (folder / "evidence" / "frames.jsonl").unlink()


def more(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")


def link(folder: Path) -> None:
    shutil.move(folder / "audio" / "event.wav", folder.parent / "elsewhere.wav")
    (folder / "audio" / "event.wav").symlink_to(folder.parent / "elsewhere.wav")


def linked_folder(folder: Path) -> None:
    shutil.move(folder / "audio", folder.parent / "elsewhere")
    (folder / "audio").symlink_to(folder.parent / "elsewhere")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "traces")


def edited(folder: Path) -> None:
    """The hash is set right as well: the numbers still are not those of the audio."""
    audio(folder)
    change(folder, lambda made: made["files"].update({"audio/event.wav": bundle.hash_of(str(folder / bundle.AUDIO))}))


def better(folder: Path) -> None:
    change(folder, lambda made: made["measurement"].update(seconds_to_yield=0.1))


def change(folder: Path, how: Any) -> None:
    made = json.loads((folder / "contract.json").read_text())
    how(made)
    (folder / "contract.json").write_text(json.dumps(made))


@pytest.mark.parametrize("how", [audio, frames, lost, more, link, linked_folder, pipe, edited, better])
def test_a_bundle_that_was_changed_is_refused(tmp_path: Path, how: Any, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path)
    assert code_of(folder) == "kept"
    how(folder)
    assert code_of(folder) == "tampered"
    assert main(["contract", "verify", str(folder)]) == 2
    assert "REFUSED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("files", {"../../etc/passwd": "0" * 64}),
        ("files", {}),
        ("id", "../x"),
        ("schema", "hotato.contract.v2"),
        ("polcy", {}),
        ("policy", {"expect": "perhaps"}),
        ("measurement", {}),
    ],
)
def test_a_contract_that_says_what_none_does_is_refused(tmp_path: Path, field: str, value: Any) -> None:
    folder = kept(tmp_path)
    change(folder, lambda made: made.update({field: value}))
    assert contract.verify(str(folder))["exit_code"] == 2


def test_a_damaged_contract_is_refused_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path)
    (folder / "contract.json").write_text('{"id": 1,\n "id": 2}')
    assert code_of(folder) == "json_duplicate_key"
    assert main(["contract", "inspect", str(folder)]) == 2
    assert "contract.json:2" in capsys.readouterr().err
    assert main(["contract", "verify", str(tmp_path / "nothing")]) == 2
    assert main(["contract", "verify", str(ROOT / "src")]) == 2
    assert "holds no contract" in capsys.readouterr().err


def judged(path: Path) -> dict[str, Any]:
    document = {"version": 1, "assertions": [{"id": "a", "kind": "timing_contract", "bundle": str(path)}]}
    plan = A.compile_assertions(document, verify_bundle=verify_bundle)
    found: dict[str, Any] = A.judge_call(plan, A.build_context())["results"][0]
    return found


def test_every_way_to_run_assertions_takes_a_verifier(tmp_path: Path) -> None:
    folder, file = kept(tmp_path), tmp_path / "a.yaml"
    file.write_text(f"version: 1\nassertions:\n  - {{id: a, kind: timing_contract, bundle: {folder}}}\n")
    ctx = A.build_context()
    for run, source in (
        (A.run_assertions, A.parse_assertions_yaml(file.read_text())),
        (A.run_assertions_from_yaml, file.read_text()),
        (A.run_assertions_from_file, file),
    ):
        given: Any = run
        assert given(source, ctx, verify_bundle=verify_bundle)["results"][0]["code"] == "kept"
        assert given(source, ctx)["results"][0]["code"] == "no_verifier"


def test_a_missing_extra_is_no_missing_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = kept(tmp_path), tmp_path / "a.yaml"
    file.write_text(f"version: 1\nassertions:\n  - {{id: a, kind: timing_contract, bundle: {folder}}}\n")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "soundfile" else object())
    for place in (folder, tmp_path / "nothing"):
        assert (judged(place)["status"], judged(place)["code"]) == ("INCONCLUSIVE", "extra_missing")
    assert main(["assert", "run", "--assertions", str(file)]) == 0
    assert "pip install 'hotato[audio]'" in capsys.readouterr().out


def test_whatever_else_a_verifier_refuses_is_told_with_the_assertion(tmp_path: Path) -> None:
    def broken(_: str) -> tuple[int, int, int]:
        raise EvidenceError("nothing to be read")

    document = {"version": 1, "assertions": [{"id": "a", "kind": "timing_contract", "bundle": str(tmp_path)}]}
    with pytest.raises(EvidenceError, match="assertion 'a': nothing to be read"):
        A.run_assertions(document, A.build_context(), verify_bundle=broken)


def test_what_is_told_first_is_first_by_name(tmp_path: Path) -> None:
    folder = kept(tmp_path)
    (folder / "audio" / "event.wav").unlink()
    (folder / "evidence" / "frames.jsonl").unlink()
    with pytest.raises(EvidenceError, match=r"audio/event\.wav is not there"):
        bundle.read_contract(str(folder))
    with pytest.raises(EvidenceError) as caught:
        contract.verify(str(folder / "contract.json"))
    assert (caught.value.problems[0].code, caught.value.problems[0].message[:12]) == ("file_kind", "not a folder")
    with pytest.raises(EvidenceError) as caught:
        contract.verify(str(tmp_path / "nothing"))
    assert (caught.value.problems[0].code, caught.value.problems[0].message[:8]) == ("file_missing", "there is")


def test_assertions_hold_contracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path)
    assert judged(folder)["status"] == "PASS"
    assert judged(tmp_path / "nothing")["status"] == "INCONCLUSIVE"
    kept(tmp_path, "two", HOLDS)
    assert judged(tmp_path)["contracts"] == {"total": 2, "passed": 1}
    shutil.rmtree(tmp_path / "two.hotato")
    kept(tmp_path, "three", YIELDS)
    audio(tmp_path / "three.hotato")
    assert (judged(tmp_path)["status"], judged(tmp_path)["code"]) == ("INCONCLUSIVE", "unverified")
    document = tmp_path / "a.yaml"
    document.write_text(f"version: 1\nassertions:\n  - {{id: a, kind: timing_contract, bundle: '{folder}'}}\n")
    said = tmp_path / "said.json"
    said.write_text('[{"role": "agent", "text": "Hello."}]')
    assert main(["assert", "run", "--assertions", str(document), "--transcript", str(said)]) == 0
    capsys.readouterr()


def test_an_archive_comes_back_as_it_was(tmp_path: Path) -> None:
    trace = tmp_path / "voice_trace.jsonl"
    trace.write_text('{"type": "tool_call", "name": "refund", "start_sec": 0.5}\n')
    place, _ = contract.create(
        Recording(stereo=YIELDS), Label(), Config(), name="one", folder=str(tmp_path), trace=str(trace)
    )
    archive.pack(place, str(tmp_path / "one.zip"))
    back, made = archive.unpack(str(tmp_path / "one.zip"), str(tmp_path / "u"))
    assert made.files["traces/voice_trace.jsonl"]
    assert contract.verify(back)["exit_code"] == 0
    assert {str(f.relative_to(back)): f.read_bytes() for f in Path(back).rglob("*") if f.is_file()} == {
        str(f.relative_to(place)): f.read_bytes() for f in Path(place).rglob("*") if f.is_file()
    }
    with pytest.raises(Exception, match="exists already"):
        archive.unpack(str(tmp_path / "one.zip"), str(tmp_path / "u"))


NAMES = [
    "../contract.json", "/etc/x", "C:\\x", "\\\\host\\x", "audio\\event.wav", "C:x", "a\0b", "contract.json ", "contract.json.",
    "CON", "Contract.json", "audio/../contract.json", "./contract.json", "audio/", "nested.zip", "cafe\u0301",
]  # fmt: skip


SAID = {
    "prefix": "bytes that belong to no member", "suffix": "something after its end", "mark": "no archive of a contract", "stub": "no archive of a contract", "disk": "not one plain",
    "symlink": "is a link or a device", "fifo": "is a link or a device", "setuid": "the rights of its owner", "bzip2": "compressed in a way",
    "twice": "holds contract.json twice", "many": "holds 3003 members", "encrypted": "is encrypted", "lies": "damaged",
    "longer": "contract.json has not the size", "other": "its sha256 differs", "name:CON": "holds 'CON', which is no file of a contract",
}  # fmt: skip
WHOLE = ["prefix", "suffix", "comment", "cut", "flip", "empty", "short", "mark", "disk", "first", "untrue", "stub"]


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as one:
        return {name: one.read(name) for name in one.namelist()}


def hostile(tmp_path: Path, how: str) -> Path:
    """Write an archive that is right but for one thing."""
    folder = kept(tmp_path)
    good, path = tmp_path / "good.zip", tmp_path / "bad.zip"
    archive.pack(str(folder), str(good))
    held = members(good)
    if how in WHOLE:
        raw = good.read_bytes()
        ends = {"prefix": b"#!" + raw, "suffix": raw + b"x", "comment": raw[:-2] + b"\x01\x00c", "cut": raw[:-400],
                "empty": b"", "stub": b"PK\x05\x06" + bytes(10), "short": raw[-10:], "mark": raw[:-22] + b"PK\x05\x07" + raw[-18:], "disk": raw[:-18] + b"\x01" + raw[-17:],
                "untrue": raw[:-2] + b"\x01\x00",
                "first": raw[:-16] + b"\x01" + raw[-15:]}  # fmt: skip
        path.write_bytes(ends.get(how, raw[:900] + bytes([raw[900] ^ 1]) + raw[901:]))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as one:
        for name, data in list(held.items()):
            made = zipfile.ZipInfo(name)
            made.external_attr = (stat.S_IFREG | 0o644) << 16
            if name == "audio/event.wav":
                modes = {"symlink": stat.S_IFLNK | 0o777, "device": stat.S_IFCHR | 0o644, "fifo": stat.S_IFIFO | 0o644,
                         "setuid": stat.S_IFREG | 0o4755}  # fmt: skip
                made.external_attr = modes.get(how, stat.S_IFREG | 0o644) << 16
                held[name] = {"bomb": b"\0" * (1 << 25), "other": data + b"\0"}.get(how, data)
            one.writestr(made, held[name], zipfile.ZIP_BZIP2 if how == "bzip2" else zipfile.ZIP_DEFLATED)
        if how.startswith("name:"):
            named = zipfile.ZipInfo("x")
            named.filename = how[5:]  # as it stands in the archive, twice
            one.writestr(named, b"x")
        if how == "twice":
            with pytest.warns(UserWarning, match="Duplicate"):
                one.writestr("contract.json", held["contract.json"])
        if how == "many":
            for number in range(3000):
                one.writestr(f"{number}", b"")
    raw = bytearray(path.read_bytes())
    if how in ("encrypted", "lies", "longer"):
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = raw.index(mark)
            if how == "encrypted":
                raw[place + at] |= 1
            else:
                struct.pack_into("<L", raw, place + at + 16, 100 if how == "lies" else 100_000)
        path.write_bytes(raw)
    return path


@pytest.mark.parametrize(
    "how",
    [*WHOLE, "symlink", "device", "fifo", "setuid", "bomb", "other", "bzip2", "twice",
     "many", "encrypted", "lies", "longer", *(f"name:{name}" for name in NAMES)],
)  # fmt: skip
def test_an_archive_that_means_harm_leaves_nothing_behind(tmp_path: Path, how: str) -> None:
    path, out = hostile(tmp_path, how), tmp_path / "out"
    before = sorted(tmp_path.rglob("*"))
    with limits(file_bytes=1 << 22), pytest.raises(EvidenceError) as caught:
        archive.unpack(str(path), str(out))
    problem = caught.value.problems[0]
    assert problem.code == {"bomb": "file_too_large", "other": "tampered"}.get(how, "contract")
    assert SAID.get(how, "") in problem.message
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_that_waits_at_the_target_is_not_followed(tmp_path: Path) -> None:
    archive.pack(str(kept(tmp_path)), str(tmp_path / "one.zip"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "one.hotato").symlink_to(tmp_path / "elsewhere")
    assert main(["contract", "unpack", str(tmp_path / "one.zip"), "--out", str(tmp_path / "out")]) == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_in_a_folder_of_contracts_is_not_followed_out_of_it(tmp_path: Path) -> None:
    outside, folder = kept(tmp_path / "outside"), tmp_path / "contracts"
    folder.mkdir()
    (folder / "one.hotato").symlink_to(outside)
    assert code_of(folder) == "tampered"
    assert verify_bundle(str(folder)) == (1, 0, 1)
    (tmp_path / "named.hotato").symlink_to(outside)
    assert verify_bundle(str(tmp_path / "named.hotato")) == (1, 1, 0)


def test_contracts_are_verified_where_reading_is_confined_and_only_there(tmp_path: Path) -> None:
    inside, outside = kept(tmp_path / "inside"), kept(tmp_path / "outside")
    with reading_within(str(tmp_path / "inside")):
        assert verify_bundle(str(inside)) == (1, 1, 0)
        assert verify_bundle(str(outside)) == (0, 0, 0)


def test_silence_in_both_sides_of_a_wide_file_is_not_stretched(tmp_path: Path) -> None:
    samples, rate = soundfile.read(YIELDS)
    soundfile.write(tmp_path / "wide.wav", samples, rate, subtype="FLOAT")
    kept(tmp_path, "wide", tmp_path / "wide.wav")
    back, _ = soundfile.read(tmp_path / "wide.hotato" / "audio" / "event.wav")
    assert np.abs(back - samples).max() < 1e-6

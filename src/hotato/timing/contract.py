"""Contracts: an event of a recording kept with its policy, and held against it again.

`create` makes a bundle, `verify` scores the audio in it anew. Only what the bundle holds is scored, so a contract can be kept
beside the code and judged in CI: it fails where the policy is not met, and is refused where anything in it was changed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from hotato.context.confined import reading_within
from hotato.context.files import open_regular, read_text
from hotato.context.folders import new_folder
from hotato.context.writing import made_folder, unwritable
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model import given
from hotato.model.codec import encode
from hotato.timing import Config, Label, Recording, configured, frame_lines, score
from hotato.timing import bundle as b

if TYPE_CHECKING:
    from hotato.timing.audio import Sound
    from hotato.timing.scored import Scored

VERIFY_SCHEMA = "hotato.contract_verify.v1"
KEPT, BROKEN, UNVERIFIED = "kept", "broken", "unverified"
ENGINE, VERSION = "energy", "1"
_MOST_WAV = 2**32 - 100  # bytes; its header has 32 bits for its size


def create(
    recording: Recording,
    label: Label,
    config: Config,
    *,
    name: str,
    folder: str,
    title: str = "",
    trace: str | None = None,
) -> tuple[str, b.Contract]:
    """Make the bundle `<name>.hotato` in a folder, and return its path and contract.

    `title` says what the event is, for people. A `trace` (voice_trace.jsonl) is kept beside the audio. Raise UsageError
    where the event cannot be scored: what cannot be judged today cannot be held against anything tomorrow.
    """
    b.check_id(name, "--id")
    if "-" in _paths(recording):
        said = "a contract is made of a file, whose hash it holds; standard input has none"
        raise UsageError(Problem(code="value", file="<stdin>", message=said))
    first = score(recording, label, config)
    if not first.is_scorable:
        said = f"cannot be made a contract: {first.event['not_scorable_reason']}"
        raise UsageError(Problem(code="contract", file=_name(recording), message=said))
    spans = None if trace is None else _trace(trace)
    place = os.path.normpath(os.path.join(folder, name + b.SUFFIX))
    hashes = tuple(b.hash_of(os.fspath(path)) for path in _paths(recording))
    with made_folder(folder), new_folder(place) as inside, _writing(place):
        for part in ("audio", "evidence", *(("traces",) if spans is not None else ())):
            os.mkdir(os.path.join(inside, part))
        _copy(recording, os.path.join(inside, b.AUDIO))
        scored = score(Recording(stereo=os.path.join(inside, b.AUDIO)), label, config)
        _write(inside, b.FRAMES, _frames(scored))
        if spans is not None:
            _write(inside, b.TRACE, spans)
        names = [b.AUDIO, b.FRAMES, *([b.TRACE] if spans is not None else [])]
        found = b.Contract(
            schema_="hotato.contract.v1",
            id=name,
            label=title or f"the agent is to {label.expect}",
            source=b.SourceOf(sha256=hashes, form=first.source.form, rate=first.source.rate,
                              duration_sec=first.source.duration_sec),
            event=b.EventOf(onset_sec=label.onset_sec, echo_gate=label.echo_gate),
            measurement=_measurement(scored),
            policy=b.Policy(expect=label.expect, max_talk_over_sec=label.max_talk_over_sec,  # type: ignore[arg-type]
                            max_time_to_yield_sec=label.max_time_to_yield_sec),
            files={one: b.hash_of(os.path.join(inside, one)) for one in names},  # type: ignore[misc]
        )  # fmt: skip
        _write(inside, b.CONTRACT, encode(b.plain_contract(found), indent=2) + "\n")
    return place, found


@contextlib.contextmanager
def _writing(place: str) -> Iterator[None]:
    """Raise UsageError where what is written inside cannot be."""
    try:
        yield
    except OSError as cause:
        raise unwritable(place, cause) from None


def verify(path: str) -> dict[str, Any]:
    """Score the audio of a bundle, or of every bundle in a folder, and hold it against its own policy; plain JSON.

    `exit_code` is 1 where a contract is broken, else 2 where one cannot be verified, else 0. Raise EvidenceError where
    there is no contract at all.
    """
    from hotato.timing.scored import check_installed

    check_installed()
    rows = [_row(folder, is_named=folder == path) for folder in b.bundles(path)]
    counts = {status: sum(row["status"] == status for row in rows) for status in (KEPT, BROKEN, UNVERIFIED)}
    return {
        "tool": "hotato",
        "schema": VERIFY_SCHEMA,
        "summary": {"contracts": len(rows), **counts},
        "contracts": rows,
        "exit_code": 1 if counts[BROKEN] else 2 if counts[UNVERIFIED] else 0,
    }


def counts(path: str) -> tuple[int, int, int]:
    """Return how many contracts a path holds, how many are kept, how many cannot be verified; for `timing_contract`.

    Raise EvidenceError where the packages that scoring needs are missing.
    """
    from hotato.timing.scored import check_installed

    check_installed()
    path = given.path(path, "path", EvidenceError)
    try:
        summary = verify(path)["summary"]
    except UsageError:
        return 0, 0, 0
    return summary["contracts"], summary[KEPT], summary[UNVERIFIED]


def _row(folder: str, *, is_named: bool) -> dict[str, Any]:
    """Return what became of a bundle. A link counts only where the user named it: one in a folder may lead out of it."""
    try:
        if os.path.islink(folder) and not is_named:
            raise b.refused(folder, "a link; a folder of contracts holds the contracts themselves", "tampered")
        return _verified(folder, b.read_contract(folder))
    except (UsageError, OSError) as error:
        said = str(error.problems[0].message) if isinstance(error, UsageError) else (error.strerror or "cannot be read")
        code = error.problems[0].code if isinstance(error, UsageError) else "file_unreadable"
        return {"bundle": folder, "status": UNVERIFIED, "code": code, "reasons": [said]}


def _verified(folder: str, contract: b.Contract) -> dict[str, Any]:
    """Score a private copy of the audio, whose hash is taken as well: nothing can change in between."""
    config, policy = configured(contract.measurement.config), contract.policy
    label = Label(
        expect=policy.expect,
        onset_sec=contract.event.onset_sec,
        echo_gate=contract.event.echo_gate,
        max_talk_over_sec=policy.max_talk_over_sec,
        max_time_to_yield_sec=policy.max_time_to_yield_sec,
    )
    with tempfile.TemporaryDirectory(prefix="hotato-") as private:
        copy = os.path.join(private, "event.wav")
        with open_regular(os.path.join(folder, b.AUDIO), error=EvidenceError) as kept, open(copy, "xb") as file:
            shutil.copyfileobj(kept, file)
        with reading_within(private):  # where reading is confined, the copy lies outside
            if b.hash_of(copy) != contract.files["audio/event.wav"]:
                raise b.refused(folder, f"{b.AUDIO} changed while it was read", "tampered")
            scored = score(Recording(stereo=copy), label, config)
    if not scored.is_scorable:
        raise b.refused(folder, str(scored.event["not_scorable_reason"]))
    measured, same_engine = _measurement(scored), contract.measurement.version == VERSION
    frames = sha256(_frames(scored).encode()).hexdigest()
    if same_engine and (measured != contract.measurement or frames != contract.files["evidence/frames.jsonl"]):
        said = "what contract.json and its frames say was measured is not what the audio in it shows"
        raise b.refused(folder, said, "tampered")
    verdict = scored.event["verdict"]
    return {
        "bundle": folder,
        "id": contract.id,
        "label": contract.label,
        "status": KEPT if verdict["passed"] else BROKEN,
        "expect": policy.expect,
        "seconds_to_yield": verdict["seconds_to_yield"],
        "talk_over_sec": verdict["talk_over_sec"],
        "reasons": list(verdict["reasons"]),
        "measured_before": _told(contract.measurement),
    }


def _measurement(scored: Scored) -> b.Measurement:
    verdict = scored.event["verdict"]
    return b.Measurement(
        engine=ENGINE,
        version=VERSION,
        config={name: float(value) for name, value in msgspec.structs.asdict(scored.config).items()},
        passed=verdict["passed"],
        did_yield=verdict["did_yield"],
        seconds_to_yield=verdict["seconds_to_yield"],
        talk_over_sec=verdict["talk_over_sec"],
        caller_onset_sec=scored.event["measurements"]["caller_onset_sec"],
    )


def _told(measured: b.Measurement) -> Mapping[str, Any]:
    names = ("passed", "did_yield", "seconds_to_yield", "talk_over_sec", "caller_onset_sec")
    return {name: getattr(measured, name) for name in names}


def _frames(scored: Scored) -> str:
    return "".join(f"{line}\n" for line in frame_lines(scored))


def _trace(path: str) -> str:
    """Return the text of a trace that reads as one. Raise EvidenceError."""
    from hotato.context.trace import read_trace

    text = read_text(path, error=EvidenceError)
    read_trace(text, path)
    return text


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _paths(recording: Recording) -> list[str | os.PathLike[str]]:
    return [path for path in (recording.stereo, recording.caller, recording.agent) if path is not None]


def _name(recording: Recording) -> str:
    return os.fspath(_paths(recording)[0])


def _copy(recording: Recording, path: str) -> None:
    """Write both sides as one WAV, the caller on channel 0: 16 bits where the source has no more, else 24."""
    from hotato.timing.audio import Sound

    with contextlib.ExitStack() as stack:
        sounds = [stack.enter_context(Sound(one)) for one in _paths(recording)]
        columns = (recording.caller_channel, recording.agent_channel) if len(sounds) == 1 else (0,)
        if len({sound.rate for sound in sounds}) > 1:
            said = "has another sampling rate than the caller's side; convert one (ffmpeg -ar), then make the contract"
            raise UsageError(Problem(code="audio", file=sounds[1].name, message=said))
        _merge(sounds, columns, path)


def _merge(sounds: list[Sound], columns: tuple[int, ...], path: str) -> None:
    """Write what is read of each side. Raise OSError with its cause, which libsndfile would not tell."""
    import wave

    import numpy as np

    wide = any(sound.is_wide for sound in sounds)
    rate = sounds[0].rate
    with open(path, "xb") as file, wave.open(file, "wb") as out:
        out.setparams((2, 3 if wide else 2, rate, 0, "NONE", ""))
        while True:
            read = [sound.read(columns, rate) for sound in sounds]
            sides = [read[0][0], read[0][1]] if len(sounds) == 1 else [one[0] for one in read]
            length = max(map(len, sides))
            if not length:
                return
            block = np.zeros((length, 2), dtype=np.int32 if wide else np.int16)
            for column, side in enumerate(sides):
                scale = sounds[0 if len(sounds) == 1 else column].full_scale
                block[: len(side), column] = _whole(side, scale, wide=wide)
            out.writeframesraw(_bytes(block))
            if file.tell() > _MOST_WAV:
                said = "longer than a WAV file can hold, 4 GiB; cut the event out of it (ffmpeg -ss FROM -t SECONDS)"
                raise UsageError(Problem(code="audio", file=sounds[0].name, message=said))


def _bytes(block: Any) -> bytes:
    """Return samples as a WAV file has them: 16 bits, or the highest 24 of 32, the lowest byte first."""
    import numpy as np

    if block.dtype == np.int16:
        return bytes(block.astype("<i2").tobytes())
    return bytes(block.astype("<i4").view(np.uint8).reshape(-1, 4)[:, 1:].tobytes())


def _whole(side: Any, scale: float, *, wide: bool) -> Any:
    """Return samples as the whole numbers that are written; those of 32 bits keep their highest 24."""
    import numpy as np

    highest = 2**31 - 1 if wide else 2**15 - 1
    factor = (2**31 if wide else 2**15) / scale
    return np.clip(side * factor, -highest - 1, highest)

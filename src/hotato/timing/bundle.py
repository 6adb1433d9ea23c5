"""A contract on disk: a folder `<id>.hotato` with the recording of one event, what was measured of it, and its policy.

Every file of a bundle has a name that is known beforehand, so nothing a bundle says can lead out of it; links, and files
that the contract does not list, are refused.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from hotato.context.confined import confined
from hotato.context.files import read_text, sha256_of
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model.codec import JsonError, decode

SCHEMA = "hotato.contract.v1"
SUFFIX = ".hotato"
CONTRACT = "contract.json"
AUDIO = "audio/event.wav"
FRAMES = "evidence/frames.jsonl"
TRACE = "traces/voice_trace.jsonl"
KNOWN = (CONTRACT, AUDIO, FRAMES, TRACE)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?", re.ASCII)
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.ASCII | re.IGNORECASE)
Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10_000_000)]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What holds no field that is not known."""


class SourceOf(_Strict, frozen=True, kw_only=True):
    """The recording the event was taken from: the hash of its file, or files; its format; how long it is."""

    sha256: tuple[Hash, ...]
    form: str
    rate: int
    duration_sec: float


class EventOf(_Strict, frozen=True, kw_only=True):
    """The event: where the caller begins, None where that is found in the recording; whether suspected bleed withholds it."""

    onset_sec: Seconds | None = None
    echo_gate: bool = False


class Measurement(_Strict, frozen=True, kw_only=True):
    """What was measured when the contract was made, by which engine and thresholds."""

    engine: str
    version: str
    config: dict[str, float]
    passed: bool
    did_yield: bool
    seconds_to_yield: float | None
    talk_over_sec: float
    caller_onset_sec: float


class Policy(_Strict, frozen=True, kw_only=True):
    """What the recording is to show."""

    expect: Literal["yield", "hold"]
    max_talk_over_sec: Seconds | None = None
    max_time_to_yield_sec: Seconds | None = None


class Contract(_Strict, frozen=True, kw_only=True, rename={"schema_": "schema"}):
    """The file contract.json. `files` are the hashes of the bundle's other files."""

    schema_: Literal["hotato.contract.v1"]
    id: str
    label: str
    source: SourceOf
    event: EventOf
    measurement: Measurement
    policy: Policy
    files: dict[Literal["audio/event.wav", "evidence/frames.jsonl", "traces/voice_trace.jsonl"], Hash]


def check_id(name: str, told: str) -> None:
    """Raise UsageError where an id cannot be the name of a file on every system. `told` names where it was given."""
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        said = "an id is 1 to 100 letters, digits, '.', '_' and '-', begins with a letter or digit, ends with no dot"
        raise UsageError(Problem(code="value", file=told, path="id", message=said))


def bundles(path: str) -> list[str]:
    """Return the bundles at a path: itself, or those in the folder, by name. Raise EvidenceError where there are none."""
    place = confined(path)
    if not place:
        raise refused(path, "outside of the folder that files are read from", "file_outside")
    if not os.path.isdir(place):
        code = "file_kind" if os.path.lexists(place) else "file_missing"
        raise refused(path, "not a folder; a contract is a folder <id>.hotato" if os.path.lexists(place)
                      else "there is no such folder", code)  # fmt: skip
    if os.path.lexists(os.path.join(path, CONTRACT)):
        return [path]
    with os.scandir(path) as entries:
        inside = sorted(entry.name for entry in entries if entry.name.endswith(SUFFIX))
    if not inside:
        raise refused(path, "holds no contract: neither a contract.json nor a folder <id>.hotato")
    return [os.path.join(path, name) for name in inside]


def read_contract(folder: str) -> Contract:
    """Return the contract of a bundle whose files are all there and as they were. Raise EvidenceError otherwise."""
    entries = set(_entries(folder))
    if CONTRACT not in entries:
        raise refused(folder, "holds no contract.json")
    path = os.path.join(folder, CONTRACT)
    contract = contract_of(read_text(path, error=EvidenceError), path)
    listed = {CONTRACT, *contract.files}
    for name in (AUDIO, FRAMES):
        if name not in listed:
            raise refused(folder, f"contract.json gives no hash for {name}", "tampered")
    missing, more = sorted(listed - entries), sorted(entries - listed)
    if missing:
        raise refused(folder, f"{missing[0]} is not there", "tampered")
    if more:
        raise refused(folder, f"holds {_plain(more[0])}, which contract.json does not list", "tampered")
    for name, wanted in sorted(contract.files.items()):
        if hash_of(os.path.join(folder, name)) != wanted:
            raise refused(
                folder, f"{name} is not the file that the contract was made of: its sha256 differs", "tampered"
            )
    return contract


def contract_of(text: str, path: str) -> Contract:
    """Return the contract that a text holds; `path` names it in messages. Raise EvidenceError."""
    try:
        contract = msgspec.convert(decode(text), Contract)
    except JsonError as error:
        problem = Problem(code=error.code, file=path, line=error.line, column=error.column, message=error.message)
        raise EvidenceError(problem) from None
    except msgspec.ValidationError as error:
        raise refused(path, str(error)) from None
    try:
        check_id(contract.id, path)
    except UsageError as error:
        raise EvidenceError(error.problems) from None
    return contract


def hash_of(path: str) -> str:
    """Return the sha256 of a file of a bundle. Raise EvidenceError."""
    return sha256_of(path, error=EvidenceError)


def refused(file: str, said: str, code: str = "contract") -> EvidenceError:
    """Return the refusal of a bundle."""
    return EvidenceError(Problem(code=code, file=file, message=said))


def _entries(folder: str) -> Iterator[str]:
    """Yield the files of a bundle by their path in it. Raise EvidenceError for whatever is neither file nor folder."""
    pending = [""]
    seen = 0
    while pending:
        inside = pending.pop()
        with os.scandir(os.path.join(folder, inside)) as entries:
            for entry in entries:
                name = f"{inside}/{entry.name}" if inside else entry.name
                mode = entry.stat(follow_symlinks=False).st_mode
                seen += 1
                if seen > 2 * len(KNOWN):
                    raise refused(folder, "holds more files than a contract has", "tampered")
                if stat.S_ISDIR(mode):
                    pending.append(name)
                elif stat.S_ISREG(mode):
                    yield name
                else:
                    raise refused(folder, f"{_plain(name)} is a link or a device, not a regular file", "tampered")


def _plain(name: str) -> str:
    """Return a name that somebody else gave, fit for a message."""
    return ascii(name[:100])


def plain_contract(contract: Contract) -> dict[str, Any]:
    """Return a contract as plain JSON, as contract.json has it."""
    made: dict[str, Any] = msgspec.to_builtins(contract)
    return made

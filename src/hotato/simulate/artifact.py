"""The conversation artifact: a folder with the evidence of one call and what was made of it, each file bound by its sha256.

`conversation.json` lists the other files and is written last. Its `id` follows from what it lists and from nothing else: no
clock, no name of a machine. Who notes the id elsewhere can tell later whether any byte of the conversation was changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Literal

import msgspec

from hotato.document.tree import Tree
from hotato.errors import UsageError
from hotato.model.codec import encode
from hotato.model.fault import Fault
from hotato.simulate import documents
from hotato.simulate.scenario import Struct, Text
from hotato.timing.bundle import check_id

KIND = "hotato.conversation"
MANIFEST = "conversation.json"
MOST_PARTS = 32
ROLES = {
    "transcript.json": "transcript",
    "voice_trace.jsonl": "trace",
    "state.json": "state",
    "timing.json": "timing",
    "scenario.json": "scenario",
    "test.json": "test",
    "result.json": "result",
    "rubric.json": "rubric",
    "call.wav": "audio",
    "call.flac": "audio",
    "call.ogg": "audio",
}
PACK = "pack"
MOST_PACKS = 16
_PACK_NAME = re.compile(r"pack-[0-9]{1,2}\.(?:json|yaml)")
NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$"  # as `check_id` has it; it refuses more, such as `nul`
Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Role = Literal["audio", "pack", "result", "rubric", "scenario", "state", "test", "timing", "trace", "transcript"]
Size = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Part(Struct, frozen=True, kw_only=True):
    """One file of the folder: its name, what it is to the conversation, its size in bytes and its sha256.

    `rubric` is what a model judged, which is kept apart from the deterministic `result`; `pack` is a rule pack that the test
    names, the only role that several parts may have.
    """

    name: Annotated[str, msgspec.Meta(extra_json_schema={"pattern": NAME})]
    role: Role
    bytes: Size
    sha256: Hash


class Conversation(Struct, frozen=True, kw_only=True):
    """The file conversation.json.

    `id` is a sha256 that follows from all else in the file and changes with any of it. `origin` says whether the call took place or was played; `run` and `seed`
    say which run of the scenario was.
    """

    kind: Literal["hotato.conversation"]
    version: Literal[1]
    id: Hash
    origin: Literal["simulated", "recorded"]
    parts: Annotated[tuple[Part, ...], msgspec.Meta(min_length=1, max_length=MOST_PARTS)]
    run: Text | None = None
    seed: Size | None = None


def identity(origin: str, parts: Sequence[Part], run: str | None, seed: int | None) -> str:
    """Return the id: the sha256 of a line for each thing that the conversation says of itself, the parts by their names.

    The name of a run is written as JSON writes a text, in ASCII. Every line ends in a line feed.
    """
    lines = [f"{KIND} 1", f"origin {origin}"]
    lines += [] if run is None else [f"run {encode(run)}"]
    lines += [] if seed is None else [f"seed {seed}"]
    lines += [f"{one.sha256} {one.bytes} {one.role} {one.name}" for one in sorted(parts, key=lambda one: one.name)]
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def bound(origin: str, parts: Sequence[Part], run: str | None = None, seed: int | None = None) -> Conversation:
    """Return the conversation of parts."""
    return Conversation(
        kind="hotato.conversation",
        version=1,
        id=identity(origin, parts, run, seed),
        origin=origin,  # type: ignore[arg-type]
        parts=tuple(sorted(parts, key=lambda one: one.name)),
        run=run,
        seed=seed,
    )


def text_of(made: Conversation) -> str:
    """Return the text of conversation.json."""
    told = {name: value for name, value in documents.plain(made).items() if value is not None}
    return encode({**told, "parts": told.pop("parts")}, indent=2) + "\n"


def part_of(name: str, raw: bytes) -> Part:
    """Return the part that a file of `ROLES`, or else a rule pack, with such content is."""
    role = PACK if _PACK_NAME.fullmatch(name) else ROLES[name]
    return Part(name=name, role=role, bytes=len(raw), sha256=sha256(raw).hexdigest())  # type: ignore[arg-type]


def put(
    folder: str,
    files: Mapping[str, bytes],
    *,
    origin: str,
    run: str | None = None,
    seed: int | None = None,
    more: Sequence[Part] = (),
) -> Conversation:
    """Write a conversation into an empty folder that is there, conversation.json last, and return it.

    `files` are contents by names of `ROLES` or of rule packs, `more` parts that lie in the folder already. Raise UsageError.
    """
    from hotato.context.writing import unwritable

    made = bound(origin, [*(part_of(name, raw) for name, raw in files.items()), *more], run, seed)
    name = folder
    try:
        for name, raw in (*files.items(), (MANIFEST, text_of(made).encode())):
            with open(os.path.join(folder, name), "xb") as file:
                file.write(raw)
    except OSError as cause:
        raise unwritable(os.path.join(folder, name), cause) from None
    return made


def read(tree: Tree) -> Conversation:
    """Return the conversation of a document. Raise DocumentError with everything that is wrong in it.

    A field that begins with `x-` is refused as any other that is not known: the id would not stand for it.
    """
    if type(tree.value) is dict:
        own = {name: value for name, value in tree.value.items() if name.startswith("x-")}
        for name in own:
            said = f"unknown field {name[:40]!a}; a conversation holds nothing that its id does not stand for"
            tree.problems += tuple(documents.told(tree, Fault((name,), "unknown_field", said)))
    return documents.read(tree, Conversation, KIND, _faults)


def _faults(made: Conversation) -> Iterator[Fault]:
    """Yield what types cannot say of the names of parts: each is a plain name, no way to another folder, and there once."""
    names: set[str] = set()
    roles: set[str] = set()
    for place, part in enumerate(made.parts):
        where = ("parts", place, "name")
        shown = ascii(part.name[:100])
        if not is_plain(part.name):
            said = f"{shown} is no plain name of a file of the folder: letters, digits, '.', '_' and '-'"
            yield Fault(where, "wrong_value", said)
        elif part.name.casefold() == MANIFEST:
            yield Fault(where, "wrong_value", f"{shown} lists the parts and is none")
        if part.name.casefold() in names:
            yield Fault(where, "duplicate_item", f"{shown} is listed twice")
        elif part.role in roles and part.role != PACK:
            said = f"{shown} is a second part with the role '{part.role}'; which one counts could not be told"
            yield Fault(("parts", place, "role"), "duplicate_item", said)
        names.add(part.name.casefold())
        roles.add(part.role)


def is_plain(name: str) -> bool:
    """Say whether a name can be that of a part, on every system."""
    if re.fullmatch(NAME[1:-1], name, re.ASCII) is None:
        return False
    try:
        check_id(name, name)
    except UsageError:
        return False
    return True

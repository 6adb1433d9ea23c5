"""Whether a conversation is as it was written: every part is read again and held against its size and its sha256.

Nothing that a conversation says leads out of its folder: names are plain, links and devices are refused, and what is opened
is what was looked at. Nothing is read without a bound.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from typing import IO, Any

from hotato.context.confined import confined
from hotato.context.files import encoding_problem, open_regular
from hotato.document.reading import scan
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model.limits import amount, limit, raising
from hotato.simulate.artifact import MANIFEST, MOST_PARTS, ROLES, Conversation, Part, identity, read

SCHEMA = "hotato.conversation_verify.v1"
INTACT, CHANGED, REFUSED = "intact", "changed", "refused"
TAMPERED = "tampered"
MOST_FOLDERS = 100_000
_MOST_LISTED = 2 * MOST_PARTS
_BLOCK = 1 << 20
# what a killed write leaves beside a part, as `context.writing` names it
_LEFT = re.compile(rf"\.(?:{'|'.join(map(re.escape, (MANIFEST, *ROLES)))})\.[0-9]{{1,10}}-[0-9]{{1,6}}\.(?:tmp|old)")
Found = dict[str, os.stat_result]


def verify(path: str, ident: str | None = None) -> dict[str, Any]:
    """Read a conversation again, or each in a folder of them, and hold it against what it lists; plain JSON.

    `ident` is the id that the conversation is known to have had. `exit_code` is 1 where one was changed, else 2 where one is
    refused, else 0. Raise EvidenceError where there is no conversation at all.
    """
    folders = list(_folders(path))
    if ident is not None and len(folders) > 1:
        raise _refused(path, f"holds {len(folders)} conversations, and an id is that of one")
    rows = [_row(folder, ident, is_named=folder == path) for folder in folders]
    counts = {status: sum(row["status"] == status for row in rows) for status in (INTACT, CHANGED, REFUSED)}
    return {
        "tool": "hotato",
        "schema": SCHEMA,
        "summary": {"conversations": len(rows), **counts},
        "conversations": rows,
        "exit_code": 1 if counts[CHANGED] else 2 if counts[REFUSED] else 0,
    }


def _folders(path: str) -> Iterator[str]:
    """Yield the conversation at a path, else every folder in it: one whose list of parts is gone is not passed over."""
    place = confined(path) if "\0" not in path else ""
    if not place:
        raise _refused(path, "outside of the folder that files are read from", "file_outside")
    if not os.path.isdir(place):
        there = os.path.lexists(place)
        said = "not a folder; a conversation is a folder" if there else "there is no such folder"
        raise _refused(path, said, "file_kind" if there else "file_missing")
    if os.path.lexists(os.path.join(place, MANIFEST)):
        yield path
        return
    names = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir() or entry.is_symlink():
                    names.append(entry.name)
                if len(names) > MOST_FOLDERS:
                    raise _refused(path, f"holds more than {MOST_FOLDERS} folders")
    except OSError as cause:
        raise _refused(path, (cause.strerror or "cannot be read").lower(), "file_unreadable") from None
    if not names:
        raise _refused(path, f"holds no conversation: neither a {MANIFEST} nor folders with one")
    yield from (os.path.join(path, name) for name in sorted(names))


def _row(folder: str, ident: str | None, *, is_named: bool) -> dict[str, Any]:
    """Return what became of one conversation. A link to a folder counts only where the user named it."""
    row: dict[str, Any] = {"folder": folder, "status": REFUSED, "problems": []}
    made: Conversation | None = None
    try:
        if os.path.islink(folder) and not is_named:
            raise _refused(MANIFEST, "the folder is a link; a folder of conversations holds them itself", "file_kind")
        entries = _entries(folder)
        made = _manifest(folder, entries)
        problems = list(_problems(folder, made, entries, ident))
    except UsageError as error:
        problems = [_told(MANIFEST, one.code, _said(one)) for one in error.problems]
    except OSError as cause:
        problems = [_told(MANIFEST, "file_unreadable", (cause.strerror or "cannot be read").lower())]
    codes = {one["code"] for one in problems}
    row["status"] = CHANGED if TAMPERED in codes else REFUSED if codes else INTACT
    if made is not None:
        row |= {"id": made.id, "origin": made.origin, "parts": len(made.parts)}
        row |= {} if made.run is None else {"run": made.run}
    return {**row, "problems": problems}


def _manifest(folder: str, entries: Found) -> Conversation:
    """Return what conversation.json says. Raise UsageError."""
    if MANIFEST not in entries:
        raise _refused(MANIFEST, "is not there")
    if not stat.S_ISREG(entries[MANIFEST].st_mode):
        raise _refused(MANIFEST, "a link, a folder or a device, not a regular file", "file_kind")
    most = limit("document_bytes")
    with _opened(folder, MANIFEST, entries[MANIFEST]) as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        said = f"larger than {amount('document_bytes')}, the most that is read; {raising('document_bytes')}"
        raise _refused(MANIFEST, said, "file_too_large")
    try:
        return read(scan(raw.decode("utf-8"), MANIFEST))
    except UnicodeDecodeError as cause:
        raise EvidenceError(encoding_problem(raw, cause, MANIFEST)) from None


def _problems(folder: str, made: Conversation, entries: Found, ident: str | None) -> Iterator[dict[str, str]]:
    """Yield everything in which a folder is not what its conversation says."""
    if made.id != identity(made.origin, made.parts, made.run, made.seed):
        yield _told(MANIFEST, TAMPERED, "its id is not that of what it lists: the list was changed")
    if ident is not None and made.id != ident:
        yield _told(
            MANIFEST, TAMPERED, "has another id than was given: it is another conversation, or was written anew"
        )
    for part in made.parts:
        found = entries.get(part.name)
        if found is None:
            yield _told(part.name, TAMPERED, "is not there")
        else:
            yield from _of_part(folder, part, found)
    listed = {MANIFEST, *(part.name for part in made.parts)}
    for name in sorted(entries.keys() - listed):
        if _LEFT.fullmatch(name):
            said = "was left behind by a write that did not end: the conversation is incomplete, write it again"
            yield _told(name, "conversation", said)
            continue
        what = "" if stat.S_ISREG(entries[name].st_mode) else ", and is no regular file"
        yield _told(_plain(name), TAMPERED, f"is not listed in {MANIFEST}{what}")


def _of_part(folder: str, part: Part, found: os.stat_result) -> Iterator[dict[str, str]]:
    most = limit("part_bytes")
    if not stat.S_ISREG(found.st_mode):
        yield _told(part.name, "file_kind", "a link, a folder or a device, not a regular file")
    elif found.st_size != part.bytes:
        yield _told(part.name, TAMPERED, f"has {found.st_size} bytes; {part.bytes} were written")
    elif found.st_size > most:
        said = f"larger than {amount('part_bytes')}, the most that is read; {raising('part_bytes')}"
        yield _told(part.name, "file_too_large", said)
    else:
        try:
            with _opened(folder, part.name, found) as file:
                told = _hash(file, part.bytes)
        except UsageError as error:
            yield _told(part.name, error.problems[0].code, error.problems[0].message)
        except OSError as cause:
            yield _told(part.name, "file_unreadable", (cause.strerror or "cannot be read").lower())
        else:
            if told != part.sha256:
                yield _told(part.name, TAMPERED, "is not the file that was written: its sha256 differs")


def _hash(file: IO[bytes], size: int) -> str:
    """Return the sha256 of a file that has a size, and of what is beyond it at most one byte."""
    digest, left = sha256(), size + 1
    while left and (block := file.read(min(left, _BLOCK))):
        digest.update(block)
        left -= len(block)
    return digest.hexdigest()


def _opened(folder: str, name: str, looked: os.stat_result) -> IO[bytes]:
    """Return a file opened, which is the very one that was looked at. Raise EvidenceError."""
    file = open_regular(os.path.join(folder, name), error=EvidenceError)
    now = os.fstat(file.fileno())
    if (now.st_dev, now.st_ino) != (looked.st_dev, looked.st_ino):
        file.close()
        raise _refused(name, "became another file while it was read", "file_kind")
    return file


def _entries(folder: str) -> Found:
    """Return what a folder holds, by name, no link followed. Raise EvidenceError where that is far too much."""
    found: Found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            found[entry.name] = os.lstat(os.path.join(folder, entry.name))
            if len(found) > _MOST_LISTED:
                raise _refused(MANIFEST, f"there are more than {_MOST_LISTED} files beside it", TAMPERED)
    return found


def _said(problem: Problem) -> str:
    place = ":".join(str(number) for number in (problem.line, problem.column) if number)
    guess = f" (did you mean '{problem.guess}'?)" if problem.guess else ""
    return ": ".join(part for part in (place, problem.path, problem.message) if part) + guess


def _told(part: str, code: str, message: str) -> dict[str, str]:
    return {"part": part, "code": code, "message": message}


def _refused(file: str, said: str, code: str = "conversation") -> EvidenceError:
    return EvidenceError(Problem(code=code, file=file, message=said))


def _plain(name: str) -> str:
    """Return a name that somebody else gave, fit for a message."""
    return ascii(name[:100])[1:-1]

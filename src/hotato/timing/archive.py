"""A contract as one file, for sending: a ZIP archive whose members are the bundle's files and nothing else.

The same bundle gives the same bytes on every machine: members in a fixed order, stored as they are, without times. Whatever an
archive from elsewhere holds, what is unpacked are regular files of names known beforehand, into a fresh folder that takes its
place only once every hash is right.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
import zipfile
import zlib
from typing import IO

from hotato.context.files import open_regular
from hotato.context.folders import new_folder
from hotato.context.writing import made_folder, placed, unwritable
from hotato.errors import EvidenceError, UsageError
from hotato.model.limits import limit, raising
from hotato.timing import bundle as b

_PIECE = 1 << 20
_MOST_CONTRACT = 1 << 20  # bytes; one has about two thousand
_END = struct.Struct("<4s4H2LH")  # the record at the end of an archive: PKWARE's APPNOTE.TXT, 4.3.16
_EPOCH = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1
_SPECIAL = 0o7000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def pack(folder: str, path: str, *, overwrite: bool = False) -> tuple[int, str]:
    """Write a bundle as an archive, whole or not at all; return how many bytes that has, and its sha256.

    Raise EvidenceError for a bad bundle.
    """
    contract = b.read_contract(folder)
    with placed(path, overwrite=overwrite) as file:
        _write(folder, contract, file)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        return size, hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto


def _write(folder: str, contract: b.Contract, file: IO[bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in (b.CONTRACT, *sorted(contract.files)):
            member = zipfile.ZipInfo(name, _EPOCH)
            member.create_system = 3  # as Unix writes it, wherever it is made
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            source = os.path.join(folder, name)
            member.file_size = os.path.getsize(source)
            with open_regular(source, error=EvidenceError) as read, archive.open(member, "w") as out:
                while piece := read.read(_PIECE):
                    out.write(piece)


def unpack(path: str, folder: str) -> tuple[str, b.Contract]:
    """Unpack an archive as `<id>.hotato` in a folder; return where, and its contract. Raise EvidenceError.

    Refused are members of other names, links, devices, encryption, names that stand twice, sizes that are untrue, bytes
    before or after the archive, and whatever is larger than the limit `file_bytes`.
    """
    with open_regular(path, error=EvidenceError) as stream:
        size = stream.seek(0, os.SEEK_END)
        if size > limit("file_bytes"):
            raise b.refused(path, f"larger than is read; {raising('file_bytes')}", "file_too_large")
        _check_end(path, stream, size)
        stream.seek(0)
        try:
            with zipfile.ZipFile(stream) as archive:
                return _unpacked(path, archive, folder)
        except UsageError:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError, struct.error):
            raise b.refused(path, "damaged: it cannot be unpacked") from None


def _check_end(path: str, stream: IO[bytes], size: int) -> None:
    """Refuse what is not one plain archive from its first byte to its last, before its list of members is read."""
    stream.seek(max(0, size - _END.size))
    raw = stream.read(_END.size)
    if len(raw) < _END.size or raw[:4] != b"PK\x05\x06":
        raise b.refused(path, "no archive of a contract, or one with something after its end")
    _, disk, first_disk, here, entries, length, start, comment = _END.unpack(raw)
    if disk or first_disk or comment or here != entries or start + length + _END.size != size:
        raise b.refused(path, "not one plain archive: it has parts, a comment, or bytes that belong to no member")
    if not 0 < entries <= len(b.KNOWN):
        raise b.refused(path, f"holds {entries} members; a contract has at most {len(b.KNOWN)}")


def _unpacked(path: str, archive: zipfile.ZipFile, folder: str) -> tuple[str, b.Contract]:
    members = archive.infolist()
    _check_members(path, members)
    if b.CONTRACT not in archive.namelist():
        raise b.refused(path, "holds no contract.json")
    with archive.open(b.CONTRACT) as read:
        raw = read.read(_MOST_CONTRACT + 1)
    if len(raw) > _MOST_CONTRACT:
        raise b.refused(path, "its contract.json is larger than one is")
    contract = b.contract_of(raw.decode("utf-8"), f"{path}: {b.CONTRACT}")
    place = os.path.normpath(os.path.join(folder, contract.id + b.SUFFIX))
    with made_folder(folder), new_folder(place) as inside:
        for member in members:
            _extract(path, archive, member, os.path.join(inside, member.filename))
        try:
            b.read_contract(inside)
        except EvidenceError as error:
            raise b.refused(path, error.problems[0].message, error.problems[0].code) from None
    return place, contract


def _extract(path: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: str) -> None:
    """Write a member; no more of it than its size says, whatever it unpacks to."""
    written = 0
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with archive.open(member) as read, open(target, "xb") as out:
            while piece := read.read(_PIECE):
                written += len(piece)
                if written > member.file_size:
                    raise zipfile.BadZipFile
                out.write(piece)
    except OSError as cause:
        raise unwritable(target, cause) from None
    if written != member.file_size:
        raise b.refused(path, f"{member.filename} has not the size that the archive says")


def _check_members(path: str, members: list[zipfile.ZipInfo]) -> None:
    names = [member.orig_filename for member in members]
    if min(member.header_offset for member in members) != 0:
        raise b.refused(path, "not one plain archive: something stands before its first member")
    for member in members:
        name, mode = member.orig_filename, member.external_attr >> 16
        if name not in b.KNOWN:
            raise b.refused(path, f"holds {name[:100]!a}, which is no file of a contract")
        if names.count(name) > 1:
            raise b.refused(path, f"holds {name} twice")
        if member.flag_bits & _ENCRYPTED:
            raise b.refused(path, f"{name} is encrypted")
        if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
            raise b.refused(path, f"{name} is a link or a device, not a regular file")
        if mode & _SPECIAL:
            raise b.refused(path, f"{name} asks for the rights of its owner or group when it is run")
        if member.compress_type not in _METHODS:
            raise b.refused(path, f"{name} is compressed in a way that is not read; stored and deflated are")
        if member.file_size > limit("file_bytes"):
            raise b.refused(path, f"{name} is larger than is read; {raising('file_bytes')}", "file_too_large")

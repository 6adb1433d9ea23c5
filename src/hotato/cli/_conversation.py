"""Writing conversations for `hotato test run`: a folder for each call, all of them or none."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hotato.cli._parser import CommandError

if TYPE_CHECKING:
    from hotato.cli._judge import Judges
    from hotato.model.call import Call
    from hotato.simulate.artifact import Part
    from hotato.simulate.checks import Test
    from hotato.simulate.conversation import Opinion, Outcome
    from hotato.simulate.variants import Variant

_SOUNDS = {".wav": "call.wav", ".flac": "call.flac", ".ogg": "call.ogg"}
_BLOCK = 1 << 20


def check(args: Namespace, prog: str) -> None:
    """Refuse what cannot be written to a conversation. Raise CommandError, and UsageError where something is there already."""
    if args.out is None:
        return
    if args.out == "-":
        raise CommandError(prog, "--out", "names a folder")
    if args.stereo == "-":
        raise CommandError(prog, "--out", "a conversation holds the recording, and standard input cannot be read again")
    if args.stereo is not None and os.path.splitext(args.stereo)[1].lower() not in _SOUNDS:
        raise CommandError(
            prog, "--out", f"a conversation holds the recording, whose name ends in {', '.join(_SOUNDS)}"
        )


@contextmanager
def folder(out: str | None) -> Iterator[str | None]:
    """Yield the folder to write to, which takes its place once all of it is written; None where nothing is to be kept."""
    if out is None:
        yield None
        return
    from hotato.context.folders import above, new_folder
    from hotato.context.writing import made_folder

    with made_folder(above(out)), new_folder(out) as inside:
        yield inside


@contextmanager
def kept(out: str | None, record: str | None, judges: Judges | None) -> Iterator[str | None]:
    """Yield the folder to write to, as `folder` does; what judges answered goes to the file `record` with it, or neither is kept.

    Raise UsageError.
    """
    from hotato.context.writing import write_text

    written = False
    try:
        with folder(out) as inside:
            yield inside
            if record is not None and judges is not None:
                write_text(record, judges.recording(), overwrite=False)
                written = True
    except BaseException:
        if written and record is not None:
            with suppress(OSError):
                os.unlink(record)
        raise


def played(
    test: Test, runs: Sequence[Variant], inside: str | None, opinion: Opinion | None, *, is_one: bool
) -> list[Outcome]:
    """Play runs of a test's scenario, and return what became of them.

    Each is kept in a folder of its own in the folder `inside`, or in that itself where one was named.
    """
    from hotato.simulate.conversation import simulated

    found = []
    for variant in runs:
        one, made = simulated(test, variant, opinion)
        found.append(one)
        if inside is None:
            continue
        from hotato.simulate.artifact import put
        from hotato.simulate.evidence import SIMULATED
        from hotato.simulate.parts import of_outcome, of_simulated

        files = {} if made is None or test.scenario is None else of_simulated(made, test.scenario)
        place = inside if is_one else _made(inside, _name(variant.id))
        put(place, {**files, **of_outcome(test, one)}, origin=SIMULATED, run=variant.id, seed=variant.seed)
    return found


def recorded(
    test: Test,
    call: Call,
    inside: str | None,
    opinion: Opinion | None,
    *,
    sound: tuple[str, str] | None,
    notes: Sequence[Mapping[str, str]],
) -> Outcome:
    """Return what became of a recorded call, which is kept in the folder `inside`.

    `sound` is the path of its recording, and the sha256 that this had before it was measured.
    """
    from hotato.simulate.conversation import outcome
    from hotato.simulate.parts import of_outcome, of_recorded, of_records, origin_of

    origin = origin_of(call)
    if inside is None:
        return outcome(test, call, origin=origin, opinion=opinion)
    from hotato.simulate.artifact import put

    call, files = of_recorded(call)
    found = outcome(test, call, origin=origin, opinion=opinion)
    files |= {**of_records(call.state_evidence, origin), **of_outcome(test, found, notes)}
    put(inside, files, origin=origin, more=[] if sound is None else [_copied(*sound, inside)])
    return found


def _name(run: str) -> str:
    """Return the name of a run's folder: the run's own with + for each slash, or a hash of one that is no plain name."""
    name = run.replace("/", "+")
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._,=+-]{0,199}", name) and not name.endswith("."):
        return name
    from hashlib import sha256

    return f"run-{sha256(run.encode()).hexdigest()[:32]}"


def _made(inside: str, name: str) -> str:
    from hotato.context.writing import unwritable

    place = os.path.join(inside, name)
    try:
        os.mkdir(place)
    except OSError as cause:
        raise unwritable(place, cause) from None
    return place


def _copied(path: str, before: str, inside: str) -> Part:
    """Copy a recording into the folder and return it as a part. Raise EvidenceError where it is not what was measured."""
    from hashlib import sha256

    from hotato.context.files import open_regular
    from hotato.context.writing import unwritable
    from hotato.errors import EvidenceError, Problem
    from hotato.simulate.artifact import Part

    name = _SOUNDS[os.path.splitext(path)[1].lower()]
    digest, size = sha256(), 0
    try:
        with open_regular(path, error=EvidenceError) as source, open(os.path.join(inside, name), "xb") as file:
            while block := source.read(_BLOCK):
                digest.update(block)
                size += len(block)
                file.write(block)
    except OSError as cause:
        raise unwritable(os.path.join(inside, name), cause) from None
    if digest.hexdigest() != before:
        raise EvidenceError(Problem(code="audio", file=path, message="changed while it was measured"))
    return Part(name=name, role="audio", bytes=size, sha256=before)

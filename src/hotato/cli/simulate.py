"""Play a scenario with its mocked agent: transcript, trace, records before and after, and the sound of it.

For example:
  hotato simulate refund.yaml
  hotato simulate refund.yaml --list
  hotato simulate refund.yaml --run rate=0.85,noise=cafe/r1 --out call
  hotato simulate refund.yaml --audio --out call

The same scenario and seed give the same bytes. Nobody is called and nothing is asked of the network. Every file of
evidence says that it is simulated, and conversation.json binds all of them, for hotato conversation verify. --audio
speaks the call and measures it; it needs pip install 'hotato[audio,speech]'. Without it there is no timing, and what
reads timing is INCONCLUSIVE.

Exit codes: 0 played, 2 refused (a file, a flag, a scenario that cannot be played), 3 internal error.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.simulate.evidence import Simulated
    from hotato.simulate.scenario import Scenario

_PROG = "hotato simulate"


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("SCENARIO", "a scenario, YAML or JSON; - is standard input", completes="file", required=True)
    parser.value("--run", "NAME", "which of its runs; by default the first")
    parser.value("--seed", "N", "another seed than the scenario's")
    parser.switch("--list", "only list the runs")
    parser.switch("--audio", "speak the call, and measure it")
    parser.value(
        "--out",
        "FOLDER",
        "write the call as a conversation to this folder, made where it is missing",
        completes="folder",
    )
    parser.switch("--force", "overwrite files that are there already")
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Play one run."""
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    for flag, value in (("--run", args.run), ("--audio", args.audio), ("--out", args.out)):
        if args.list and value is not None:
            raise CommandError(_PROG, flag, "means nothing with --list")
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.simulate import documents
    from hotato.simulate.checks import load_scenario
    from hotato.simulate.evidence import simulate
    from hotato.simulate.variants import one, variants

    scenario = load_scenario(documents.tree_of_file(args.scenario))
    found = variants(scenario, seed=_seed(args.seed))
    if args.list:
        told: Any = [{"run": variant.id, "seed": variant.seed} for variant in found]
        as_text = "".join(f"{safe(variant.id)}\n" for variant in found)
        emit(encode({"ok": True, "runs": told}, indent=2) + "\n" if args.format == "json" else as_text)
        return 0
    call = simulate(scenario, one(found, args.run))
    if args.audio:
        call = _spoken(scenario, call)
    written = [] if args.out is None else _written(call, scenario, args)
    if args.format == "json":
        told = {
            "ok": True,
            "origin": "simulated",
            "scenario": scenario.id,
            "run": call.variant.id,
            "seed": call.variant.seed,
            "turns": len(call.transcript),
            "spans": len(call.spans),
            "has_audio": call.audio is not None,
            "sha256": call.digest(),
            "written": written,
        }
        emit(encode(told, indent=2) + "\n")
    else:
        emit("".join(f"{safe(line)}\n" for line in [*_timeline(scenario, call), *(f"wrote {one}" for one in written)]))
    return 0


def _seed(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit()) or len(given) > 16 or int(given) > 2**53:
        raise CommandError(_PROG, "--seed", "is a whole number from 0 to 2^53")
    return int(given)


def _spoken(scenario: Scenario, call: Simulated) -> Simulated:
    from hotato.errors import EvidenceError, Problem
    from hotato.simulate.cache import SoundCache
    from hotato.simulate.measure import with_sound
    from hotato.simulate.sound import is_installed
    from hotato.speech.cache import default_folder

    if not is_installed():
        said = "speaking and measuring a call needs two extras: pip install 'hotato[audio,speech]'"
        raise EvidenceError(Problem(code="extra_missing", file="simulate", message=said))
    return with_sound(scenario, call, SoundCache(default_folder()), keep=True)


def _written(call: Simulated, scenario: Scenario, args: Namespace) -> list[str]:
    """Write the call as a conversation, and return the paths.

    conversation.json is away while anything else is moved: a folder that was only partly written is no conversation.
    """
    from hotato.context.writing import made_folder, sweep, write_files
    from hotato.simulate.artifact import MANIFEST, ROLES, bound, part_of, text_of
    from hotato.simulate.parts import of_simulated

    folder = args.out
    files = of_simulated(call, scenario)
    _check(folder, {*files, MANIFEST}, args)
    parts = [part_of(name, raw) for name, raw in files.items()]
    made = bound("simulated", parts, call.variant.id, call.variant.seed)
    files = {os.path.join(folder, name): raw for name, raw in (*files.items(), (MANIFEST, text_of(made).encode()))}
    with made_folder(folder):
        for name in ROLES:
            sweep(os.path.join(folder, name))  # an earlier run that was killed may have been on its way to other parts
        write_files(files, overwrite=bool(args.force), is_sealed=True)
    return list(files)


def _check(folder: str, names: Collection[str], args: Namespace) -> None:
    """Refuse to overwrite unless asked, ever to write over the scenario that is read, and to write beside other files."""
    from hotato.errors import Problem, UsageError

    try:
        there = sorted(os.listdir(folder))
    except OSError:
        return  # not there, or no folder: writing will tell
    for name in there:
        path = os.path.join(folder, name)
        said = ""
        if name not in names and not name.startswith("."):
            said = "is no part of this run, and a conversation has its folder alone; choose another folder"
        elif name in names and os.path.exists(path) and args.scenario != "-" and os.path.samefile(path, args.scenario):
            said = "is the scenario that is read"
        elif name in names and not args.force:
            said = "exists already; --force overwrites it"
        if said:
            raise UsageError(Problem(code="file_exists", file=path, message=said))


def _timeline(scenario: Scenario, call: Simulated) -> list[str]:
    """Return the call for people, in the order of time."""
    lines = [(turn["start"], turn["role"], turn["text"]) for turn in call.transcript]
    for span in call.spans:
        about = span.get("name") or span.get("to") or span.get("digits") or span.get("url") or span.get("reason") or ""
        lines.append((span["start_sec"], span["type"], f"{about}{' went wrong' if 'error' in span else ''}"))
    told = [f"{scenario.id}, run {call.variant.id}, seed {call.variant.seed}"]
    told += [f"{at:8.2f}  {what:<13} {words}" for at, what, words in sorted(lines, key=lambda line: line[0])]
    if call.timing is not None:
        gaps = call.timing["response_gap_sec"]
        told.append(
            f"measured: {gaps['count']} responses" + (f", the slowest {gaps['max']} s" if "max" in gaps else "")
        )
    return told

"""Show what a contract holds, without scoring it: its policy, what was measured, and whether its files are as they were.

For example:
  hotato contract inspect contracts/refund-interruption.hotato
  hotato contract inspect contracts/refund-interruption.hotato --format json

Exit codes: 0 shown, 2 refused (no contract, or one that was changed), 3 internal error.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hotato.cli._out import finish
from hotato.cli._parser import Parser

if TYPE_CHECKING:
    from hotato.timing.bundle import Contract


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.operand("BUNDLE", "a bundle, the folder <id>.hotato", completes="folder", required=True)
    parser.limits()
    parser.formats()


def main(args: Namespace) -> int:
    """Read, and tell."""
    from hotato.model.codec import encode
    from hotato.plan.text import safe
    from hotato.timing import bundle

    found = bundle.bundles(args.bundle)
    if found != [args.bundle]:
        raise bundle.refused(args.bundle, f"a folder of contracts; name one, such as {found[0]}")
    contract = bundle.read_contract(args.bundle)
    if args.format == "json":
        told = {"ok": True, "bundle": args.bundle, "contract": bundle.plain_contract(contract), "exit_code": 0}
        return finish(encode(told, indent=2) + "\n", 0)
    return finish("".join(f"{safe(line)}\n" for line in _lines(contract)), 0)


def _lines(contract: Contract) -> Iterator[str]:
    policy, event, measured, source = contract.policy, contract.event, contract.measurement, contract.source
    yield f"{contract.id}: {contract.label}"
    limits = [f"both for at most {policy.max_talk_over_sec:g} s"] if policy.max_talk_over_sec is not None else []
    if policy.max_time_to_yield_sec is not None:
        limits.append(f"quiet within {policy.max_time_to_yield_sec:g} s")
    yield f"  policy    {', '.join([policy.expect, *limits])}"
    where = "found in the recording" if event.onset_sec is None else f"labelled at {event.onset_sec:g} s"
    yield f"  onset     {measured.caller_onset_sec:.2f} s, {where}"
    did = f"agent quiet after {measured.seconds_to_yield:.2f} s" if measured.did_yield else "agent talks on"
    yield f"  measured  {did}, both for {measured.talk_over_sec:.2f} s: {'passes' if measured.passed else 'fails'}"
    yield f"  source    {source.form}, {source.rate} Hz, {source.duration_sec:.2f} s, sha256 {' '.join(source.sha256)}"
    yield from (f"  holds     {name}, sha256 {digest}" for name, digest in sorted(contract.files.items()))

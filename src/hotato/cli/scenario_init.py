"""Write a first scenario: a caller with a script, and a mocked agent that answers it.

For example:
  hotato scenario init
  hotato scenario init --id late-parcel --out late-parcel.yaml
  hotato scenario init --format json

It is whole and can be played as it is. Change what is said, what the tools answer and what they change.
"""

from __future__ import annotations

import re
from argparse import Namespace

from hotato.cli._out import emit
from hotato.cli._parser import CommandError, Parser

_PROG = "hotato scenario init"
_FIRST = """\
kind: hotato.scenario
version: 1
id: {id}
goal: {{type: refund, target: order}}
facts: {{order: A-1042, amount: 42.5}}
caller:
  script:
    - say: Hello, I would like a refund for order {{order}}, please.
    - say: That is all, thank you. Goodbye.
  behavior:
    backchannels: {{probability: 0.2}}
environment: {{locale: en-US, route: phone, noise: clean}}
agent_mock:
  greeting: Good morning, how can I help you?
  state:
    orders:
      - {{id: '{{order}}', refunded: false}}
  tools:
    - name: issue_refund
      turn: 1
      arguments: {{order_id: '{{order}}', amount: '{{amount}}'}}
      result: {{status: ok}}
      latency_ms: 400
      changes:
        - {{resource: orders, where: {{id: '{{order}}'}}, set: {{refunded: true}}}}
  says:
    - Your refund of {{amount}} dollars is issued.
    - Goodbye.
variation_matrix:
  speaking_rate: [0.85, 1.0, 1.2]
  noise: [clean, cafe, street]
seed: 1
"""


def configure(parser: Parser) -> None:
    """Declare flags."""
    parser.value("--id", "NAME", "what the scenario is called; default refund")
    parser.value("--out", "FILE", "write to this file, which must not exist yet", completes="file")
    parser.switch("--force", "overwrite the file if it exists")
    parser.formats()


def main(args: Namespace) -> int:
    """Write a scenario."""
    if args.force and args.out is None:
        raise CommandError(_PROG, "--force", "means nothing without --out")
    name = args.id or "refund"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]{0,127}", name):
        said = "a name begins with a letter and goes on with letters, digits, '.', '_' and '-', 128 at most"
        raise CommandError(_PROG, "--id", said)
    if name.lower() in ("true", "false", "null", "yes", "no", "on", "off", "y", "n"):
        raise CommandError(_PROG, "--id", "YAML reads this as something else than a name")
    from hotato.model.codec import encode
    from hotato.simulate.checks import load_scenario
    from hotato.simulate.documents import plain

    text = _FIRST.format(id=name)
    if args.format == "json":
        text = encode(plain(load_scenario(text)), indent=2) + "\n"
    if args.out is None:
        emit(text)
        return 0
    from hotato.context.files import write_text
    from hotato.plan.text import safe

    write_text(args.out, text, overwrite=bool(args.force))
    told = encode({"ok": True, "file": args.out}, indent=2) if args.format == "json" else safe(f"wrote {args.out}")
    emit(told + "\n")
    return 0

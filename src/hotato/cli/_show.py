"""An envelope for people: a table in colours on a terminal, plain lines everywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._out import columns, is_fancy
from hotato.plan.text import explanation, in_reading_order, render_run_text, safe

if TYPE_CHECKING:
    from hotato.report._view import View

_STYLES = {"PASS": "green", "FAIL": "bold red", "INCONCLUSIVE": "yellow"}


def shown(envelope: Mapping[str, Any], view: View | None = None) -> str:
    """Return an envelope as standard output shows it; `view` is what reports show of it, such as an earlier run."""
    if not is_fancy():
        if view is None:
            return render_run_text(envelope)
        from hotato.report.text import render

        return render(view)
    text = _table(envelope)
    if view is not None and view.base is not None:
        from hotato.report.compare import compare, lines

        text += "\n" + "".join(f"{safe(line)}\n" for line in lines(compare(view.base, envelope)))
    return text


def _table(envelope: Mapping[str, Any]) -> str:
    """Return an envelope as text with the control sequences of a terminal, none of which comes from a call."""
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="Deterministic", title_justify="left", title_style="bold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("assertion", overflow="fold")
    table.add_column("kind", style="dim", overflow="fold")
    table.add_column("what was found", ratio=1, overflow="fold")
    for result in in_reading_order(envelope["results"]):
        told = explanation(result) if result["status"] != "PASS" or result.get("vacuous") else []
        said = "\n".join([*(["holds of nothing (vacuous)"] if result.get("vacuous") else []), *map(safe, told)])
        status = Text(result["status"], style=_STYLES[result["status"]])
        table.add_row(status, Text(safe(result["id"])), Text(result["kind"]), Text(said))
    count, judged = envelope["summary"]["deterministic"], envelope["summary"]["judge"]
    verdict = {0: "green", 1: "bold red"}.get(envelope["exit_code"], "yellow")
    console = Console(
        file=StringIO(),
        force_terminal=True,
        width=_width(),
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(table)
    counts = f"{count['pass']} pass, {count['fail']} fail, {count['inconclusive']} inconclusive"
    console.print(Text("deterministic  ", style="bold"), Text(counts), sep="")
    console.print(
        Text("model-judged   ", style="bold"), Text(f"{judged['pass'] + judged['fail']} (advisory, kept apart)"), sep=""
    )
    policy = f" (inconclusive_policy {envelope['inconclusive_policy']})"
    console.print(Text(f"exit {envelope['exit_code']}", style=verdict), Text(policy, style="dim"), sep="")
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]  # the StringIO from above


def _width() -> int:
    """Return the width of a table in columns: the terminal's, at most 160."""
    return min(160, columns() or 80)

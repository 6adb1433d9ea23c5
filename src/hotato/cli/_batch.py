"""What the commands over many calls share: flags of the engine, the progress of a run, and its summary in words."""

from __future__ import annotations

import contextlib
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hotato.cli._out import complain, finish
from hotato.cli._parser import CommandError, Parser

if TYPE_CHECKING:
    from hotato.batch._query import Table
    from hotato.batch._run import Engine

MOST_CHECKS = 20  # assertions listed in the summary
_EACH = {True: 0.2, False: 60.0}  # seconds between two words on a terminal, and elsewhere


def declare(parser: Parser) -> None:
    """Declare how a run is done."""
    parser.value("--workers", "N", "processes that judge; by default one for each core")
    said = "where pieces are judged: processes here (default), or a cluster"
    parser.value("--engine", "ENGINE", said, choices=("local", "dask", "ray"), default="local")
    parser.value("--address", "ADDRESS", "the cluster's address; by default dask and ray begin one here")


def engine(args: Namespace, prog: str) -> Engine:
    """Return how a run is done. Raise CommandError."""
    needs(prog)
    from hotato.batch._run import Engine

    if args.address is not None and args.engine == "local":
        raise CommandError(prog, "--address", "means nothing without --engine dask or ray")
    return Engine(args.engine, whole(args.workers, "--workers", prog, least=1) or 0, args.address or "")


def needs(prog: str) -> None:
    """Raise UsageError where the extra is not installed."""
    from importlib.util import find_spec

    missing = [name for name in ("pyarrow", "duckdb", "fsspec", "zstandard") if find_spec(name) is None]
    if missing:
        from hotato.errors import Problem, UsageError

        said = f"needs packages that are not installed ({', '.join(missing)}): pip install 'hotato[batch]'"
        raise UsageError(Problem(code="extra_missing", file=prog, message=said))


def whole(text: str | None, flag: str, prog: str, *, least: int = 0) -> int | None:
    """Return the whole number that a flag gives; None where it is not given. Raise CommandError."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise CommandError(prog, flag, f"'{text}' is no whole number of at least {least}")
    return int(text)


class Progress:
    """Tells on standard error how a run goes: a line that is written over on a terminal, else one line a minute."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._start = self._told = time.monotonic()
        self._total = self._done = self._first = self.calls = self._failed = self._errors = self._before = 0

    def begin(self, total: int, done: int, calls: int) -> None:
        """Hear how much there is to do."""
        self._total, self._done, self._first, self.calls, self._before = total, done, done, calls, calls
        self._start = time.monotonic()

    def add(self, size: int, calls: int, failed: int, errors: int) -> None:
        """Hear of a piece that is done."""
        self._done += size
        self.calls += calls
        self._failed += failed
        self._errors += errors
        now = time.monotonic()
        if now - self._told >= _EACH[self._is_terminal]:
            self._told = now
            complain(f"\r\x1b[K{self.line()}" if self._is_terminal else f"{self.line()}\n")

    def line(self) -> str:
        """Return one line: share, calls, rate, failures, errors, time left."""
        spent = max(time.monotonic() - self._start, 1e-9)
        share = self._done / self._total if self._total else 1.0
        rate = (self.calls - self._before) / spent
        done = self._done - self._first
        left = (self._total - self._done) * spent / done if done else 0.0
        said = f"{share:4.0%}  {self.calls:,} calls  {rate:,.0f}/s  {self._failed:,} failed"
        return f"{said}  {self._errors:,} errors  {_clock(left)} left"

    def end(self) -> None:
        """Clear the line."""
        if self._is_terminal:
            complain("\r\x1b[K")

    def rate(self) -> str:
        """Return what was done in this process, in words."""
        spent = time.monotonic() - self._start
        judged = self.calls - self._before
        return f"{judged:,} calls in {_clock(spent)}, {judged / max(spent, 1e-9):,.0f} a second"


@contextlib.contextmanager
def stoppable(out: str, progress: Progress) -> Iterator[None]:
    """Say how to go on where a run is stopped."""
    from hotato.errors import UsageError

    try:
        yield
    except KeyboardInterrupt:
        progress.end()
        from hotato.runs.folder import begun

        how = f"hotato batch resume {out} goes on" if begun(out) else "it had not begun, and nothing was written"
        complain(f"stopped after {progress.calls:,} calls; {how}\n")
        raise
    except UsageError:
        progress.end()
        raise
    progress.end()


def told(args: Namespace, made: Mapping[str, Any], out: str, progress: Progress | None = None) -> int:
    """Print a summary, and return its exit code."""
    if args.format == "json":
        from hotato.model.codec import encode

        return finish(encode(made, indent=2) + "\n", made["exit_code"])
    from hotato.plan.text import safe

    lines = [*lines_of(made), f"results in {out}"]
    if progress is not None:
        complain(f"{progress.rate()}\n")
    return finish("".join(f"{safe(line)}\n" for line in lines), made["exit_code"])


def lines_of(made: Mapping[str, Any]) -> Iterator[str]:
    """Yield a summary in words."""
    checks = sorted(made["checks"], key=lambda one: (-one["fail"], -one["inconclusive"], one["id"]))
    shown = checks[:MOST_CHECKS]
    wide = max([len("assertion"), *(len(one["id"]) for one in shown)])
    yield f"{'assertion':<{wide}} {'pass':>10} {'fail':>10} {'inconcl.':>10} {'pass rate':>10}  95 % interval"
    for one in shown:
        rate = "" if one["pass_rate"] is None else f"{one['pass_rate']:.4f}"
        low, high = one["interval"]
        counts = f"{one['pass']:>10} {one['fail']:>10} {one['inconclusive']:>10} {rate:>10}"
        yield f"{one['id']:<{wide}} {counts}  {low:.4f} to {high:.4f}"
    if len(checks) > MOST_CHECKS:
        yield f"and {len(checks) - MOST_CHECKS} more"
    calls = made["calls"]
    yield ""
    ended = f"{calls['judged']} judged, {calls['failed']} with a failure, {_errors(calls['errors'])}"
    yield f"{calls['total']} call{'s' * (calls['total'] != 1)}: {ended}"
    for code, count in made["errors"].items():
        yield f"  error {code}: {count}"
    for gate in made["gates"]:
        if gate["gate"] == "min_pass_rate":
            verdict = "kept" if gate["kept"] else "broken"
            yield f"gate {gate['id']}: lower bound {gate['found']:.6f}, at least {gate['least']:g}: {verdict}"
        elif not gate["kept"]:
            yield f"gate: {_errors(gate['found'])}, at most {gate['most']}: broken"
    if not calls["total"]:
        yield "no call was found: nothing was judged"
    elif not calls["judged"]:
        yield "no call could be read: nothing was judged"
    yield f"exit {made['exit_code']} (inconclusive_policy {made['inconclusive_policy']})"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def declare_results(parser: Parser) -> None:
    """Declare which results are asked about."""
    parser.value("--results", "FOLDER", "the folder of a finished run", completes="folder", required=True)
    parser.value("--base", "FOLDER", "the folder of an earlier run, to compare with", completes="folder")


def show_table(form: str, table: Table) -> int:
    """Print the answer to a query."""
    if form == "json":
        from hotato.model.codec import encode

        rows = [{name: _plain(value) for name, value in row.items()} for row in table.records()]
        return finish(encode({"ok": True, "rows": rows, "exit_code": 0}, indent=2) + "\n", 0)
    cells = [[_cell(value) for value in row] for row in table.rows]
    wide = [max(map(len, column)) for column in zip(table.names, *cells, strict=True)]
    right = [all(type(row[place]) in (int, float) for row in table.rows) for place in range(len(wide))]
    lines = []
    for row in [table.names, *cells]:
        parts = [cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, wide, right, strict=True)]
        lines.append("  ".join(parts).rstrip())
    return finish("".join(f"{line}\n" for line in lines), 0)


def _cell(value: Any) -> str:
    from hotato.plan.text import safe

    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return "" if value is None else safe(str(value))


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: what DuckDB has beside that is written as text."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, float) and value - value != 0:
        return str(value)
    return value if value is None or type(value) in (str, int, float, bool) else str(value)


def _errors(count: int) -> str:
    return f"{count} error{'s' * (count != 1)}"

"""The page of a suite: what the gate says, each test with its rate, which cells fail, and every run that does not pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hotato.report.html._index import safe_href

MOST_CELLS = 30  # columns of the grid; more are counted in the tests' rows alone
MOST_RUNS = 1000
_ORDER = ("FAIL", "SIMULATOR_INVALID", "INCONCLUSIVE", "PASS")
_SIGNS = {"SIMULATOR_INVALID": "ERROR"}


class Square(NamedTuple):
    """A cell of a test: the worst status of its runs, how many there are, and the report of the first that has it."""

    status: str
    name: str
    runs: int
    said: str
    href: str


class Row(NamedTuple):
    """A test: its counts, its rate in words and as three shares of 100 (low, rate, high), what fails, and its cells."""

    id: str
    counts: Mapping[str, int]
    rate: str
    shares: tuple[float, float, float] | None
    failed: Sequence[tuple[str, int]]
    flaky: Sequence[str]
    squares: Sequence[Square | None]


class Run(NamedTuple):
    """A run that does not pass."""

    test: str
    run: str
    status: str
    sign: str
    href: str
    told: Sequence[tuple[str, str]]


class Suite(NamedTuple):
    """All that the page shows."""

    result: Mapping[str, Any]
    verdict: str
    tests: Sequence[Row]
    columns: Sequence[str]
    cells: Sequence[tuple[str, Mapping[str, int], str, tuple[float, float, float] | None]]
    reliability: Sequence[tuple[int, str, str]]
    runs: Sequence[Run]
    more_runs: int


def collect(result: Mapping[str, Any], pages: str) -> Suite:
    """Return what the page shows of a result."""
    runs: dict[str, list[Mapping[str, Any]]] = {}
    for run in result["runs"]:
        runs.setdefault(run["test"], []).append(run)
    columns = list(dict.fromkeys(run["cell"] for run in result["runs"]))
    columns = columns if len(columns) <= MOST_CELLS else []
    bad = [run for run in result["runs"] if run["status"] != "PASS"]
    bad.sort(key=lambda run: _ORDER.index(run["status"]))
    rate = result["rate"]
    both = zip(rate["pass_at_k"], rate["pass_all_k"], strict=True)
    return Suite(
        result=result,
        verdict={0: "let through", 1: "not let through"}.get(result["exit_code"], "refused: not all was judged"),
        tests=[_row(one, runs.get(one["id"], []), columns, pages) for one in result["tests"]],
        columns=columns,
        cells=[(one["varied"], one["counts"], _rate(one["rate"]), _shares(one["rate"])) for one in result["cells"]],
        reliability=[(k, _interval(at), _interval(every)) for k, (at, every) in enumerate(both, 1)],
        runs=[_run(run, pages) for run in bad[:MOST_RUNS]],
        more_runs=max(0, len(bad) - MOST_RUNS),
    )


def _row(test: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], columns: Sequence[str], pages: str) -> Row:
    cells: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        cells.setdefault(run["cell"], []).append(run)
    squares = [_square(name, cells[name], pages) if name in cells else None for name in columns]
    failed = list(test["failed"].items())
    return Row(test["id"], test["counts"], _rate(test["rate"]), _shares(test["rate"]), failed, test["flaky"], squares)


def _square(name: str, runs: Sequence[Mapping[str, Any]], pages: str) -> Square:
    worst = min(runs, key=lambda run: _ORDER.index(run["status"]))
    same = sum(run["status"] == worst["status"] for run in runs)
    said = f"{name}: {worst['status']}" + (f" in {same} of {len(runs)} runs" if len(runs) > 1 else "")
    return Square(_SIGNS.get(worst["status"], worst["status"]), name, len(runs), said, _href(worst, pages))


def _run(run: Mapping[str, Any], pages: str) -> Run:
    told = [(one["id"], one["reason"]) for one in (*run["failed"], *run["open"])]
    told = [("", run["why"])] if run["why"] else told
    status = run["status"]
    return Run(run["test"], run["run"], status, _SIGNS.get(status, status), _href(run, pages), told)


def _href(run: Mapping[str, Any], pages: str) -> str:
    return safe_href(f"{pages}/{run['page']}") if run["page"] else ""


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["pass_rate"] is None:
        return "no verdict"
    low, high = rate["interval"]
    return f"{rate['pass_rate']:.3f} ({low:.3f} to {high:.3f}) of {rate['of']}"


def _shares(rate: Mapping[str, Any]) -> tuple[float, float, float] | None:
    if rate["pass_rate"] is None:
        return None
    low, high = rate["interval"]
    return round(low * 100, 3), round(rate["pass_rate"] * 100, 3), round(high * 100, 3)


def _interval(one: Mapping[str, Any]) -> str:
    low, high = one["interval"]
    return f"{one['estimate']:.3f} ({low:.3f} to {high:.3f})"

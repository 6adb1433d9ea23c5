"""The runs of a scenario: every way from the root of its branches to a leaf, in every cell of its matrix, repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hotato.errors import Problem, UsageError
from hotato.simulate.chance import draw
from hotato.simulate.scenario import Acts, Branch, Line, Scenario


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One run: which way, which cell, which repetition (from 1), and the seed that follows.

    Cells of one repetition share their seed, so that they differ in what is varied alone.
    """

    path: tuple[str, ...]
    cell: str
    repetition: int
    seed: int
    speaking_rate: float
    noise: str
    snr_db: float
    locale: str

    @property
    def id(self) -> str:
        """Return the name of the run: `yes/late/rate=0.7,noise=cafe/r1`; the cell of a scenario without matrix is `base`."""
        return "/".join([*self.path, self.cell, f"r{self.repetition}"])

    @property
    def place(self) -> str:
        """Return the name without the repetition: what repetitions are repetitions of."""
        return "/".join([*self.path, self.cell])


class Part(msgspec.Struct, frozen=True):
    """One script on the way, what the agent does during it, and what names in braces stand for there."""

    script: tuple[Line, ...]
    acts: Acts
    known: Mapping[str, Any]


SNR = {"clean": 80.0, "cafe": 26.0, "street": 24.0}


def variants(scenario: Scenario, repetitions: int | None = None, seed: int | None = None) -> tuple[Variant, ...]:
    """Return all runs: by path, then cell, then repetition. `repetitions` and `seed` stand in for the scenario's own."""
    matrix, environment = scenario.variation_matrix, scenario.environment
    rates = matrix.speaking_rate or (scenario.caller.behavior.speaking_rate,)
    noises = matrix.noise or (environment.noise,)
    locales = matrix.locale or (environment.locale,)
    first = scenario.seed if seed is None else seed
    found = []
    for path in paths(scenario):
        for rate in rates:
            for noise in noises:
                for locale in locales:
                    named = (("rate", matrix.speaking_rate, rate), ("noise", matrix.noise, noise))
                    told = [f"{name}={value}" for name, varied, value in named if varied]
                    told += [f"locale={locale}"] if matrix.locale else []
                    for number in range(1, (repetitions or matrix.repetitions) + 1):
                        snr = environment.snr_db if environment.snr_db is not None and noise != "clean" else SNR[noise]
                        found.append(
                            Variant(
                                path=path,
                                cell=",".join(told) or "base",
                                repetition=number,
                                seed=first if number == 1 else draw(first, "repetition", number) >> 11,
                                speaking_rate=rate,
                                noise=noise,
                                snr_db=snr,
                                locale=locale,
                            )
                        )
    return tuple(found)


def one(found: Sequence[Variant], name: str | None) -> Variant:
    """Return the run of a name, the first without one. Raise UsageError with the nearest name."""
    if name is None:
        return found[0]
    for variant in found:
        if variant.id == name:
            return variant
    from hotato.document.guess import Guesser

    ids = [variant.id for variant in found]
    listed = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    said = f"no run is called '{name}'; there are {listed}"
    raise UsageError(Problem(code="run", file="--run", message=said, guess=Guesser().nearest(name, ids)))


def paths(scenario: Scenario) -> Iterator[tuple[str, ...]]:
    """Yield the way to each leaf, as the ids of its branches; the empty way where there are none."""
    yield from _below(scenario.branches, ())


def _below(branches: Sequence[Branch], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not branches:
        yield above
    for branch in branches:
        yield from _below(branch.branches, (*above, branch.id))


def parts(scenario: Scenario, path: Sequence[str]) -> list[Part]:
    """Return the scripts on a way, the scenario's own first."""
    known: dict[str, Any] = {**scenario.facts, **scenario.variables}
    found = [Part(scenario.caller.script, scenario.agent_mock, known)]
    branches = scenario.branches
    for ident in path:
        branch = next(branch for branch in branches if branch.id == ident)
        known = {**known, **branch.variables}
        found.append(Part(branch.script, branch.agent_mock, known))
        branches = branch.branches
    return found

"""Many recordings, each with a scenario that says what is expected of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from hotato.context.files import MOST_CONFIG, read_text
from hotato.errors import EvidenceError, Problem, UsageError
from hotato.model import given
from hotato.model.codec import JsonError, decode
from hotato.timing.claims import SUITE_ID
from hotato.timing.config import Config
from hotato.timing.envelope import envelope
from hotato.timing.label import Label, Recording

if TYPE_CHECKING:
    from hotato.timing.scored import Scored

Path = str | os.PathLike[str]
SUFFIXES = (".wav", ".flac", ".ogg")
SCHEMA = "hotato.scenario.v1"
_BUNDLED = os.path.join(os.path.dirname(__file__), "suites")


class Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a recording from how it was made, seconds. Scoring does not look at it."""

    onset_sec: float | None = None
    yield_sec: float | None = None
    talk_over_sec: float | None = None
    caller_end_sec: float | None = None
    response_gap_sec: float | None = None


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of a scenarios folder: what the recording of its name is expected to show."""

    schema: Literal["hotato.scenario.v1"]
    id: str
    expect: Literal["yield", "hold"]
    title: str | None = None
    category: str | None = None
    onset_sec: float | None = None
    max_talk_over_sec: float | None = None
    max_time_to_yield_sec: float | None = None
    truth: Truth | None = None

    def label(self, *, echo_gate: bool = False) -> Label:
        """Return the label of its recording."""
        return Label(
            expect=self.expect,
            onset_sec=self.onset_sec,
            max_talk_over_sec=self.max_talk_over_sec,
            max_time_to_yield_sec=self.max_time_to_yield_sec,
            echo_gate=echo_gate,
            event_id=self.id,
            scenario_id=self.id,
            title=self.title,
            category=self.category,
        )


def folder_of(suite: str) -> str:
    """Return the folder of a suite that comes with hotato. Raise UsageError."""
    if type(suite) is not str or suite != SUITE_ID:
        said = f"no suite is called '{suite}'; there is {SUITE_ID}, and scenarios_dir names a folder of your own"
        raise UsageError(Problem(code="value", file="timing", path="suite", message=said))
    return os.path.join(_BUNDLED, suite.replace("-", "_"))


def scenarios(folder: Path) -> list[Scenario]:
    """Return the scenarios of a folder, by id. Raise UsageError for a folder without any and with all that is wrong in them."""
    name = given.path(folder, "scenarios_dir")
    try:
        entries = sorted(entry for entry in os.listdir(name) if entry.endswith(".json"))
    except (OSError, ValueError) as cause:  # a name that no file can have
        said = (
            f"the folder of scenarios cannot be read: {(getattr(cause, 'strerror', None) or 'unknown cause').lower()}"
        )
        raise UsageError(Problem(code="file_unreadable", file=name, message=said)) from None
    if not entries:
        raise UsageError(Problem(code="scenario", file=name, message="holds no scenario, a file <id>.json"))
    found: list[Scenario] = []
    wrong: list[Problem] = []
    for entry in entries:
        try:
            found.append(_scenario(os.path.join(name, entry), entry.removesuffix(".json")))
        except UsageError as error:
            wrong += error.problems
    if wrong:
        raise UsageError(wrong)
    return sorted(found, key=lambda one: one.id)


def _scenario(path: str, stem: str) -> Scenario:
    text = read_text(path, most=MOST_CONFIG)
    try:
        one = msgspec.convert(decode(text), Scenario)
    except JsonError as error:
        raise UsageError(
            Problem(code=error.code, file=path, line=error.line, column=error.column, message=error.message)
        ) from None
    except msgspec.ValidationError as error:
        raise UsageError(Problem(code="scenario", file=path, message=str(error))) from None
    if one.id != stem:
        raise UsageError(Problem(code="scenario", file=path, path="id", message="is the file's name without .json"))
    try:
        one.label().check()
    except UsageError as error:
        raise UsageError(
            msgspec.structs.replace(problem, code="scenario", file=path) for problem in error.problems
        ) from None
    return one


def recording_of(one: Scenario, folder: Path, suffix: str | None) -> str:
    """Return the file with a scenario's recording. Raise EvidenceError where there is none, or more than one."""
    wanted = [given.typed(str, suffix, "suffix", "text, such as .wav")] if suffix is not None else SUFFIXES
    place = given.path(folder, "audio_dir")
    paths = [os.path.join(place, one.id + end) for end in wanted]
    there = [path for path in paths if os.path.lexists(path)]
    if len(there) == 1:
        return there[0]
    said = f"no recording of the scenario: {' or '.join(map(os.path.basename, paths))}"
    if there:
        said = f"more than one recording of the scenario: {', '.join(map(os.path.basename, there))}"
    raise EvidenceError(Problem(code="scenario", file=place, message=said))


def run(
    suite: str,
    scenarios_dir: Path | None,
    audio_dir: Path | None,
    suffix: str | None,
    *,
    stack: str | None,
    echo_gate: bool,
    channels: tuple[int, int],
    config: Config,
) -> dict[str, Any]:
    """Return the envelope of a suite."""
    from hotato.timing.scored import check_installed

    check_installed()
    found = scenarios(folder_of(suite) if scenarios_dir is None else scenarios_dir)
    where = audio_dir if audio_dir is not None else scenarios_dir
    each = scored(found, folder_of(suite) if where is None else where, suffix, channels, config, echo_gate=echo_gate)
    named = suite if scenarios_dir is None else os.path.basename(os.path.abspath(scenarios_dir))
    return envelope("suite", [one.event for one in each], config, stack=stack, suite=named)


def scored(
    found: Sequence[Scenario],
    folder: Path,
    suffix: str | None,
    channels: tuple[int, int],
    config: Config,
    *,
    echo_gate: bool = False,
) -> list[Scored]:
    """Return each scenario scored on its recording in a folder. Raise UsageError with every recording that cannot be used."""
    from hotato.timing.scored import score

    results: list[Scored] = []
    wrong: list[Problem] = []
    for one in found:
        try:
            path = recording_of(one, folder, suffix)
            recording = Recording(stereo=path, caller_channel=channels[0], agent_channel=channels[1])
            results.append(score(recording, one.label(echo_gate=echo_gate), config))
        except UsageError as error:
            wrong += error.problems
    if wrong:
        raise EvidenceError(wrong)
    return results

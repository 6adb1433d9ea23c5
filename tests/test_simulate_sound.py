"""Simulated calls are spoken: on time, at the stated noise, and measured on the sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("soundfile")
pytest.importorskip("espeakng_loader")

from hotato import assert_ as A  # noqa: E402
from hotato.simulate import measure, sound  # noqa: E402
from hotato.simulate.cache import SoundCache  # noqa: E402
from hotato.simulate.checks import load_scenario  # noqa: E402
from hotato.simulate.evidence import Simulated, simulate  # noqa: E402
from hotato.simulate.play import SimulatorInvalid  # noqa: E402
from hotato.simulate.variants import one, variants  # noqa: E402
from hotato.speech.mix import level  # noqa: E402

SAYS = "Delivery is free above fifty dollars and costs five dollars below that, and it takes two days in most places."


def scenario(**mock: Any) -> Any:
    return load_scenario(
        {
            "kind": "hotato.scenario",
            "version": 1,
            "id": "delivery",
            "goal": {"type": "question"},
            "caller": {
                "script": [{"say": "What does delivery cost?"}, {"say": "No, to the islands.", "interrupts": True}]
            },
            "agent_mock": {"says": [SAYS, "To the islands it is nine dollars."], **mock},
            "variation_matrix": {"noise": ["clean", "cafe", "street"]},
            "seed": 5,
        }
    )


@pytest.fixture(scope="module")
def cache() -> SoundCache:
    return SoundCache()


def spoken(cache: SoundCache, noise: str = "clean", **mock: Any) -> Simulated:
    made = scenario(**mock)
    return measure.with_sound(made, simulate(made, one(variants(made), f"noise={noise}/r1")), cache, keep=True)


def judged(call: Simulated, field: str, most: float) -> str:
    document = {"version": 1, "assertions": [{"id": "a", "kind": "latency", "field": field, "max": most}]}
    status: str = A.run_assertions(document, call.call())["results"][0]["status"]
    return status


@pytest.mark.parametrize("noise", ["clean", "cafe", "street"])
def test_responses_and_yields_are_measured_where_they_were_put(cache: SoundCache, noise: str) -> None:
    call = spoken(cache, noise)
    assert call.timing is not None
    said = [turn for turn in call.transcript if turn["role"] == "agent"]
    asked = [turn for turn in call.transcript if turn["role"] == "caller"]
    measured = call.timing["responses"]
    assert [one["agent_start_sec"] for one in measured] == pytest.approx([one["start"] for one in said], abs=0.06)
    assert [one["caller_end_sec"] for one in measured] == pytest.approx([one["end"] for one in asked], abs=0.06)
    (event,) = call.timing["events"]
    assert event["verdict"]["seconds_to_yield"] == pytest.approx(0.4, abs=0.06)


def test_a_late_answer_and_an_agent_that_talks_on_fail(cache: SoundCache) -> None:
    late = spoken(cache, response_ms=3000)
    assert (judged(late, "response_gap_sec.max", 2.5), judged(spoken(cache), "response_gap_sec.max", 2.5)) == (
        "FAIL",
        "PASS",
    )
    stubborn = spoken(cache, yield_ms=None)
    assert stubborn.timing is not None
    assert stubborn.timing["events"][0]["verdict"]["passed"] is False


@pytest.mark.parametrize(("noise", "snr"), [("cafe", 26), ("street", 24)])
def test_noise_lies_below_speech_by_the_stated_ratio(cache: SoundCache, noise: str, snr: float) -> None:
    made = scenario()
    call = simulate(made, one(variants(made), f"noise={noise}/r1"))
    samples, rate = sound.stereo(made, call.variant, call.played, cache)
    quiet = samples[: rate * call.played.turns[0].start // 1000, 0]
    assert level(quiet) == pytest.approx(sound.SPEECH - snr, abs=2)
    turn = call.played.turns[0]
    assert level(samples[rate * turn.start // 1000 : rate * turn.end // 1000, 0]) == pytest.approx(sound.SPEECH, abs=1)


def test_the_same_call_is_the_same_bytes_and_says_that_it_is_simulated(cache: SoundCache) -> None:
    first, second = spoken(cache, "cafe"), spoken(SoundCache(), "cafe")
    assert first.audio == second.audio
    assert first.digest() == second.digest()
    assert b"origin: simulated" in (first.audio or b"")


def test_a_kept_piece_is_used_and_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> Any:
        made.append(1)
        return np.arange(100, dtype=np.int16)

    for _ in range(2):
        assert SoundCache(str(tmp_path)).get(("a", 1), make).tolist() == list(range(100))
    assert len(made) == 1
    (file,) = tmp_path.rglob("*.pcm")
    file.write_bytes(file.read_bytes()[:-2] + b"xx")
    assert SoundCache(str(tmp_path)).get(("a", 1), make).tolist() == list(range(100))
    assert len(made) == 2


def test_without_a_voice_for_the_locale_the_call_is_invalid_and_without_the_synthesiser_unmeasured(
    cache: SoundCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scenario()
    foreign = variants(made)[0]
    call = simulate(
        made, type(foreign)(**{f: getattr(foreign, f) for f in foreign.__struct_fields__} | {"locale": "fi-FI"})
    )
    with pytest.raises(SimulatorInvalid, match="no voice"):
        measure.with_sound(made, call, cache)
    monkeypatch.setattr(measure, "is_installed", lambda: False)
    silent = spoken(cache)
    assert (silent.timing, silent.audio) == (None, None)
    assert judged(silent, "response_gap_sec.max", 2.5) == "INCONCLUSIVE"


def test_what_no_voice_can_say_is_invalid(cache: SoundCache) -> None:
    with pytest.raises(SimulatorInvalid, match="characters"):
        spoken(cache, says=["word " * 2500, "Goodbye."])
    with pytest.raises(SimulatorInvalid, match="no sound"):
        spoken(cache, says=[SAYS, "\u2019"])

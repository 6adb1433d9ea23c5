"""Scenarios: read with every problem in them, and played to the same call every time."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hotato import assert_ as A
from hotato.cli import main
from hotato.errors import DocumentError, UsageError
from hotato.simulate.chance import between, draw, happens
from hotato.simulate.checks import load_scenario, load_scenario_file, load_test
from hotato.simulate.evidence import Simulated, simulate
from hotato.simulate.fill import filled
from hotato.simulate.pace import said_until
from hotato.simulate.play import SimulatorInvalid
from hotato.simulate.scenario import Scenario
from hotato.simulate.success import judged
from hotato.simulate.variants import one, variants

LONG = "Thank you for calling, this call is recorded for quality, and I can help you with orders and refunds today."
BASE: dict[str, Any] = {
    "kind": "hotato.scenario",
    "version": 1,
    "id": "refund",
    "goal": {"type": "refund", "target": "order"},
    "facts": {"order": "A-1", "amount": 42.5},
    "caller": {"script": [{"say": "A refund for {order}, please."}, {"say": "Thank you."}]},
    "agent_mock": {
        "greeting": LONG,
        "state": {"orders": [{"id": "{order}", "refunded": False}]},
        "tools": [
            {
                "name": "issue_refund",
                "turn": 1,
                "arguments": {"amount": "{amount}"},
                "result": {"status": "ok"},
                "changes": [{"resource": "orders", "where": {"id": "{order}"}, "set": {"refunded": True}}],
            }
        ],
        "says": ["Your refund of {amount} dollars is issued.", "Goodbye."],
    },
    "seed": 3,
}


def scenario(**more: Any) -> Scenario:
    return load_scenario({**deepcopy(BASE), **more})


def played(made: Scenario, name: str | None = None, seed: int | None = None) -> Simulated:
    return simulate(made, one(variants(made, seed=seed), name))


def caller(**line: Any) -> dict[str, Any]:
    return {"script": [{"say": "Yes, but wait.", **line}, {"say": "Thank you."}]}


def codes(**more: Any) -> list[tuple[str, str]]:
    with pytest.raises(DocumentError) as caught:
        scenario(**more)
    return [(one.code, one.path) for one in caught.value.problems]


def test_the_same_scenario_and_seed_give_the_same_bytes() -> None:
    first, second = played(scenario()), played(scenario())
    assert first.texts() == second.texts()
    assert first.digest() == second.digest()
    assert played(scenario(), seed=4).digest() != first.digest()


def test_names_in_braces_take_their_values_with_their_types() -> None:
    call = played(scenario())
    assert call.transcript[1]["text"] == "A refund for A-1, please."
    assert call.spans[0]["arguments"] == {"amount": 42.5}
    assert (filled("{{{a}}}", {"a": 1}), filled("{{", {}), filled("}}", {})) == ("{1}", "{", "}")
    assert [filled(text, {}) for text in ("a {{ b", "a }} b")] == ["a { b", "a } b"]


def test_a_tool_changes_the_records_after_the_call_and_not_those_before() -> None:
    call = played(scenario())
    assert call.state == {
        "before": {"orders": [{"id": "A-1", "refunded": False}]},
        "after": {"orders": [{"id": "A-1", "refunded": True}]},
    }


def test_a_mocked_agent_without_state_has_no_system_of_record() -> None:
    call = played(scenario(agent_mock={"says": ["Yes."]}))
    assert (call.state, call.call().state_adapter) == (None, None)


def test_a_call_that_was_not_spoken_has_no_timing() -> None:
    document = {"version": 1, "assertions": [{"id": "a", "kind": "latency", "field": "response_gap_sec.max", "max": 2}]}
    env = A.run_assertions(document, played(scenario()).call())
    assert [one["status"] for one in env["results"]] == ["INCONCLUSIVE"]


def test_a_call_is_to_the_millisecond_what_its_scenario_says() -> None:
    script = [{"say": "Charge {order}.", "press": "1#", "pause_ms": 300}, {"say": "Thanks.", "pause_ms": 200}]
    exchange = {"method": "POST", "url": "https://x.test/{order}", "status": 200, "response": {"of": "{amount}"}}
    mock = {
        "greeting": "Hello, how can I help?",
        "says": [["One moment.", "It is charged."], "Goodbye."],
        "response_ms": 500,
        "tools": [{"name": "charge", "turn": 1, "latency_ms": 40, "result": {"ok": True}}],
        "http": [{**exchange, "turn": 1, "latency_ms": 60}],
        "handoffs": [{"to": "billing"}],
    }
    call = played(scenario(agent_mock=mock, caller={"script": script}))
    assert [(turn["text"], turn["start"], turn["end"]) for turn in call.transcript] == [
        ("Hello, how can I help?", 0.4, 2.33),
        ("Charge A-1.", 2.63, 3.795),
        ("One moment.", 4.895, 5.86),
        ("It is charged.", 6.21, 7.435),
        ("Thanks.", 7.635, 8.275),
        ("Goodbye.", 8.775, 9.48),
    ]
    assert [(one["type"], one["start_sec"], one.get("end_sec")) for one in call.spans] == [
        ("dtmf", 3.895, None),
        ("dtmf", 4.195, None),
        ("tool_call", 6.01, 6.05),
        ("http_exchange", 6.1, 6.16),
        ("handoff", 9.58, None),
        ("termination", 10.38, None),
    ]
    assert (call.spans[2]["result"], call.spans[3]["response"]) == ({"ok": True}, {"of": 42.5})
    assert call.played.length == 10_780


def test_of_what_was_broken_off_the_words_that_were_said_remain() -> None:
    words = "one two three four"
    assert [said_until(words, ms, 1000) for ms in (0, 499, 500, 999, 1200)] == [
        "one", "one", "one two", "one two three", words
    ]  # fmt: skip


def test_a_slow_caller_takes_longer_and_cells_differ_in_what_is_varied_alone() -> None:
    made = scenario(variation_matrix={"speaking_rate": [0.5, 1.0], "noise": ["clean", "cafe"]})
    slow, fast = (played(made, f"rate={rate},noise=clean/r1") for rate in (0.5, 1.0))
    lasts = [one.transcript[1]["end"] - one.transcript[1]["start"] for one in (slow, fast)]
    assert lasts[0] == pytest.approx(2 * lasts[1], abs=0.01)
    assert played(made, "rate=1.0,noise=cafe/r1").digest() == fast.digest()


def test_every_way_through_the_branches_is_a_run() -> None:
    def branch(name: str, *inner: dict[str, Any]) -> dict[str, Any]:
        return {"id": name, "script": [{"say": f"{name}."}], "branches": list(inner)}

    made = scenario(branches=[branch("a", branch("x"), branch("y")), branch("b")])
    assert [one.id for one in variants(made)] == ["a/x/base/r1", "a/y/base/r1", "b/base/r1"]
    said = [turn["text"] for turn in played(made, "a/y/base/r1").transcript if turn["role"] == "caller"]
    assert said == ["A refund for A-1, please.", "Thank you.", "a.", "y."]


def test_a_variable_of_a_branch_holds_in_it_alone() -> None:
    inside = {"id": "a", "variables": {"day": "Monday"}, "script": [{"say": "On {day}."}]}
    made = scenario(branches=[inside])
    assert played(made).transcript[-1]["text"] == "On Monday."
    outside = {"id": "b", "script": [{"say": "On {day}."}]}
    assert codes(branches=[inside, outside]) == [("variable", "branches[1].script[0].say")]


def test_repetitions_have_seeds_of_their_own() -> None:
    found = variants(scenario(variation_matrix={"repetitions": 3}))
    assert len({one.seed for one in found}) == 3
    assert [one.id for one in found] == ["base/r1", "base/r2", "base/r3"]
    assert {one.place for one in found} == {"base"}


def test_an_interruption_cuts_what_the_agent_says() -> None:
    call = played(scenario(caller=caller(interrupts=True)))
    greeting, cut = call.transcript[:2]
    assert LONG.startswith(greeting["text"])
    assert greeting["text"] != LONG
    assert greeting["end"] - cut["start"] == pytest.approx(0.4)
    (mark,) = call.played.marks
    assert (mark.onset, mark.expect) == (400 + 8485 * 55 // 100, "yield")  # of the 8.485 s that the greeting takes


def test_an_agent_that_does_not_yield_talks_on() -> None:
    mock = {**deepcopy(BASE["agent_mock"]), "yield_ms": None}
    call = played(scenario(caller=caller(interrupts=True), agent_mock=mock))
    assert call.transcript[0]["text"] == LONG


def test_an_interruption_of_nothing_is_invalid() -> None:
    mock = {**deepcopy(BASE["agent_mock"]), "greeting": None}
    with pytest.raises(SimulatorInvalid, match="cannot interrupt"):
        played(scenario(caller=caller(interrupts=True), agent_mock=mock))


def test_what_is_said_in_less_than_two_and_a_half_seconds_is_not_interrupted() -> None:
    mock = {**deepcopy(BASE["agent_mock"]), "greeting": "Hello, how can I help?"}
    with pytest.raises(SimulatorInvalid, match="line 1 of the caller cannot interrupt"):
        played(scenario(caller=caller(interrupts=True), agent_mock=mock))
    behavior = {"interruptions": {"probability": 1.0}}
    call = played(scenario(caller={**caller(), "behavior": behavior}, agent_mock=mock))
    assert call.transcript[0]["text"] == mock["greeting"]


@pytest.mark.parametrize(
    ("line", "interrupts"), [({}, True), ({"pause_ms": 10}, False), ({"say": None, "press": "1"}, False)]
)
def test_chance_lets_a_caller_interrupt_by_words_that_do_not_wait(line: dict[str, Any], interrupts: bool) -> None:
    behavior = {"interruptions": {"probability": 1.0}}
    call = played(scenario(caller={**caller(**line), "behavior": behavior}))
    assert (call.transcript[0]["text"] != LONG) is interrupts


def test_a_clean_line_has_no_noise_whatever_the_scenario_says_of_it() -> None:
    made = scenario(environment={"snr_db": 9, "noise": "cafe"}, variation_matrix={"noise": ["clean", "cafe"]})
    assert [(one.noise, one.snr_db) for one in variants(made)] == [("clean", 80.0), ("cafe", 9)]
    assert [one.snr_db for one in variants(scenario(environment={"snr_db": 9, "noise": "cafe"}))] == [9]
    assert [one.snr_db for one in variants(scenario(variation_matrix={"noise": ["cafe", "street"]}))] == [26.0, 24.0]


def test_a_change_of_a_record_that_is_not_there_is_invalid() -> None:
    mock = deepcopy(BASE["agent_mock"])
    mock["state"]["orders"][0]["id"] = "B-2"
    with pytest.raises(SimulatorInvalid, match="finds no record"):
        played(scenario(agent_mock=mock))


def test_a_certain_backchannel_is_said_while_the_agent_talks() -> None:
    behavior = {"backchannels": {"probability": 1.0, "says": ["mhm"]}}
    call = played(scenario(caller={**BASE["caller"], "behavior": behavior}))
    greeting, murmur = call.transcript[:2]
    assert (murmur["role"], murmur["text"]) == ("caller", "mhm")
    assert greeting["start"] < murmur["start"] < murmur["end"] < greeting["end"]
    first = call.played.marks[0]
    assert (first.onset, first.expect) == (400 + 8485 * 45 // 100, "hold")


def test_nothing_is_murmured_into_what_is_interrupted() -> None:
    behavior = {"backchannels": {"probability": 1.0, "says": ["mhm"]}}
    call = played(scenario(caller={**caller(interrupts=True), "behavior": behavior}))
    assert [turn["text"] for turn in call.transcript[1:2]] == ["Yes, but wait."]


@pytest.mark.parametrize(
    ("more", "who"),
    [
        ({"caller": {"script": [{"say": "{nothing}"}]}, "agent_mock": {}}, "line 1 of the caller is empty"),
        ({"agent_mock": {"says": ["{nothing}"]}}, "an answer of the agent is empty"),
    ],
)
def test_words_that_come_to_nothing_are_invalid(more: dict[str, Any], who: str) -> None:
    with pytest.raises(SimulatorInvalid, match=who):
        played(scenario(variables={"nothing": " "}, **more))


def test_a_call_ends_where_no_branch_goes_on() -> None:
    def branch(name: str, *inner: dict[str, Any], **acts: Any) -> dict[str, Any]:
        return {"id": name, "script": [{"say": f"{name}."}], "branches": list(inner), "agent_mock": acts}

    ends = {"termination": {"by": "agent"}}
    assert len(variants(scenario(branches=[branch("a", branch("b", **ends))]))) == 1
    assert codes(branches=[branch("a", branch("b"), **ends)]) == [
        ("needless_field", "branches[0].agent_mock.termination")
    ]
    assert codes(branches=[branch("a")], agent_mock=ends) == [("needless_field", "agent_mock.termination")]


@pytest.mark.parametrize(
    ("results", "status", "state"),
    [
        (None, "INCONCLUSIVE", "undetermined"),
        ([{"id": "polite", "status": "PASS"}], "PASS", "met"),
        ([{"id": "polite", "status": "FAIL"}], "FAIL", "not_met"),
        ([{"id": "polite", "status": "ERROR"}], "INCONCLUSIVE", "undetermined"),
        ([{"id": "other", "status": "PASS"}], "INCONCLUSIVE", "undetermined"),
    ],
)
def test_a_rubric_counts_by_its_own_verdict(results: list[Any] | None, status: str, state: str) -> None:
    rubric = {"id": "polite", "kind": "judge_rubric", "criterion": "The agent is polite."}
    test = load_test(
        {
            "kind": "hotato.conversation-test",
            "version": 1,
            "id": "t",
            "agent": "a",
            "assertions": {"rubric": [rubric]},
            "success": {"required": ["no_rubric_failure"]},
        }
    )
    _, found = judged(test, A.build_context(), None if results is None else {"results": results})
    assert (found["status"], [one["state"] for one in found["conditions"]]) == (status, [state])


def test_keys_handoffs_exchanges_and_errors_are_on_the_trace() -> None:
    mock = {
        "tools": [{"name": "charge", "turn": 1, "error": "declined", "latency_ms": 40}],
        "http": [{"method": "POST", "url": "https://x.test/{order}", "status": 402, "turn": 1}],
        "handoffs": [{"to": "billing"}],
        "termination": {"by": "agent", "reason": "transfer"},
    }
    spans = played(scenario(agent_mock=mock, caller=caller(press="1#"))).spans
    assert [one["type"] for one in spans] == ["dtmf", "dtmf", "tool_call", "http_exchange", "handoff", "termination"]
    assert (spans[2]["error"], spans[2]["latency_ms"], "result" in spans[2]) == ("declined", 40, False)
    assert (spans[3]["url"], spans[5]["by"]) == ("https://x.test/A-1", "agent")


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"seed": -1}, [("range", "seed")]),
        ({"sed": 1}, [("unknown_field", "sed")]),
        ({"variables": {"order": 1}}, [("duplicate_id", "variables.order")]),
        ({"caller": {"script": [{"interrupts": True}]}, "agent_mock": {}}, [("missing_field", "caller.script[0]"), ("needless_field", "caller.script[0].interrupts")]),
        ({"agent_mock": {"says": ["a", "b", "c"]}}, [("length", "agent_mock.says[2]")]),
        ({"agent_mock": {"tools": [{"name": "a", "turn": 3}]}}, [("range", "agent_mock.tools[0].turn")]),
        ({"agent_mock": {"tools": [{"name": "a", "result": 1, "error": "x"}]}}, [("exclusive_fields", "agent_mock.tools[0].result")]),
        ({"agent_mock": {"tools": [{"name": "a", "changes": [{"resource": "r", "add": {"a": 1}}]}]}}, [("missing_field", "agent_mock.tools[0].changes[0]")]),
        ({"variation_matrix": {"noise": ["cafe", "cafe"]}}, [("duplicate_item", "variation_matrix.noise[1]")]),
        ({"variation_matrix": {"speaking_rate": [9]}}, [("range", "variation_matrix.speaking_rate[0]")]),
        ({"environment": {"snr_db": 10}}, [("needless_field", "environment.snr_db")]),
        ({"caller": {**BASE["caller"], "behavior": {"pause_ms": {"min": 9, "max": 1}}}}, [("bound", "caller.behavior.pause_ms")]),
        ({"variation_matrix": {"speaking_rate": [0.5, 1, 1.5], "noise": ["cafe", "street"], "locale": [f"en-{n}" for n in range(17)], "repetitions": 1000}}, [("range", "variation_matrix")]),
        ({"agent_mock": {"state": {"orders": []}, "tools": [{"name": "a", "changes": [{"resource": "order", "add": {"a": 1}}]}]}}, [("state", "agent_mock.tools[0].changes[0].resource")]),
        ({"branches": [{"id": "a", "script": [{"say": "x"}]}] * 2}, [("duplicate_id", "branches[1].id")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_path(more: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert codes(**more) == found


def test_problems_of_a_file_have_line_and_column(tmp_path: Path) -> None:
    assert main(["scenario", "init", "--out", str(tmp_path / "s.yaml")]) == 0
    text = (tmp_path / "s.yaml").read_text(encoding="utf-8")
    (tmp_path / "s.yaml").write_text(text.replace("turn: 1", "trun: 1"), encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        load_scenario_file(tmp_path / "s.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.guess) == (20, 7, "turn")


def test_a_run_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        played(scenario(), "bas/r1")
    assert caught.value.problems[0].guess == "base/r1"


def test_draws_follow_from_seed_and_name_and_keep_their_bounds() -> None:
    assert draw(1, "a", 2) == draw(1, "a", 2) != draw(1, "a2")
    assert all(4 <= between(4, 6, seed, "x") <= 6 for seed in range(200))
    assert {between(4, 6, seed, "x") for seed in range(200)} == {4, 5, 6}
    assert not any(happens(0.0, seed) for seed in range(50))
    assert all(happens(1.0, seed) for seed in range(50))


def test_the_commands_make_check_and_play_a_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = str(tmp_path / "s.yaml"), tmp_path / "call"
    assert main(["scenario", "init", "--id", "first", "--out", file]) == 0
    assert main(["scenario", "validate", file]) == 0
    assert capsys.readouterr().out.endswith("a scenario, 9 runs, no problem\n")
    assert main(["simulate", file, "--out", str(out), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["scenario"], told["origin"], told["has_audio"]) == ("first", "simulated", False)
    evidence = ["state.json", "transcript.json", "voice_trace.jsonl"]
    assert sorted(one.name for one in out.iterdir()) == sorted([*evidence, "conversation.json", "scenario.json"])
    assert all('"origin": "simulated"' in (out / one).read_text(encoding="utf-8") for one in evidence)
    assert main(["conversation", "verify", str(out)]) == 0
    capsys.readouterr()
    assert main(["simulate", file, "--out", str(out)]) == 2
    assert main(["simulate", file, "--out", str(out), "--force"]) == 0
    document = tmp_path / "a.json"
    wants = {
        "id": "r",
        "kind": "state",
        "resource": "orders",
        "filters": {"id": "A-1042"},
        "expect": {"refunded": True},
    }
    document.write_text(json.dumps({"version": 1, "assertions": [wants]}), encoding="utf-8")
    words = ["--transcript", str(out / "transcript.json"), "--trace", str(out / "voice_trace.jsonl")]
    assert main(["assert", "run", "--assertions", str(document), *words, "--state", str(out / "state.json")]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["scenario", "init", "--id", "1x"],
        ["scenario", "init", "--id", "yes"],
        ["scenario", "init", "--force"],
        ["scenario", "validate", "-", "-"],
        ["simulate", "x.yaml", "--seed", "-1"],
        ["simulate", "missing.yaml"],
        ["simulate", "x.yaml", "--list", "--out", "d"],
        ["simulate", "x.yaml", "--force"],
    ],
)
def test_a_command_line_that_means_nothing_is_refused(words: list[str]) -> None:
    assert main(words) == 2


@pytest.mark.parametrize("part", ["transcript", "trace"])
def test_what_simulate_wrote_is_told_as_simulated_wherever_it_is_read(part: str, tmp_path: Path, capsys: Any) -> None:
    files = played(scenario()).texts()
    name = {"transcript": "transcript.json", "trace": "voice_trace.jsonl"}[part]
    (tmp_path / name).write_text(files[name])
    (tmp_path / "a.yaml").write_text("version: 1\nassertions: [{id: a, kind: count, span_type: handoff, count: 0}]\n")
    words = ["assert", "run", "--assertions", str(tmp_path / "a.yaml"), f"--{part}", str(tmp_path / name)]
    main([*words, "--format", "json"])
    block = json.loads(capsys.readouterr().out)["evidence"][part]
    assert block["format"] == "simulated"
    assert block.get("captures", {}) == ({} if part == "transcript" else dict.fromkeys(sorted(block["captures"]), True))
    assert part == "transcript" or block["captures"]["tool_call"]

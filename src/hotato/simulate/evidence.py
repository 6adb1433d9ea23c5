"""The evidence of a call, simulated or recorded, as files: what an artifact holds and what a digest is taken of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from hotato.context.build import build_context
from hotato.context.trace import SCHEMA as TRACE
from hotato.model.call import Call, StateAdapter
from hotato.model.codec import encode
from hotato.model.meta import CAPTURES as EVENTS
from hotato.simulate.play import Played, SimulatorInvalid, play
from hotato.simulate.scenario import Scenario
from hotato.simulate.variants import Variant

SIMULATED, RECORDED = "simulated", "recorded"
CAPTURES = dict.fromkeys(EVENTS, True)

__all__ = ["CAPTURES", "RECORDED", "SIMULATED", "Simulated", "SimulatorInvalid", "simulate"]


class Simulated(msgspec.Struct, kw_only=True):
    """One simulated call. `state` holds the records `before` and `after` it, `timing` what was measured of its sound.

    `timing` is None where no sound was made: there is nothing to measure then.
    """

    variant: Variant
    played: Played
    transcript: list[dict[str, Any]]
    spans: list[dict[str, Any]]
    state: dict[str, Any] | None
    timing: dict[str, Any] | None = None
    audio: bytes | None = None

    def call(self) -> Call:
        """Return the evidence as checks read it."""
        adapter: StateAdapter | None = None
        if self.state is not None:
            from hotato.state.mock import MockStateAdapter

            adapter = MockStateAdapter(self.state)
        sources: dict[str, dict[str, Any]] = {
            "transcript": {"format": SIMULATED},
            "trace": {"format": SIMULATED, "captures": CAPTURES},
        }
        return build_context(
            transcript=self.transcript,
            spans=self.spans,
            timing=self.timing,
            state_adapter=adapter,
            sources=sources,
        )

    def texts(self) -> dict[str, str]:
        """Return the text of each file of the evidence, by name; each says that it is simulated."""
        turns = ",\n  ".join(encode(turn) for turn in self.transcript)
        source = {"format": SIMULATED, "captures": CAPTURES}
        meta = {"schema": TRACE, "_meta": True, "origin": SIMULATED, "source": source}
        found = {
            "transcript.json": f'{{"origin": "{SIMULATED}", "transcript": [\n  {turns}\n]}}\n',
            "voice_trace.jsonl": "".join(f"{encode(line)}\n" for line in (meta, *self.spans)),
        }
        if self.state is not None:
            config = {"adapter": "mock", "origin": SIMULATED, "data": self.state}
            found["state.json"] = encode(config, indent=2) + "\n"
        if self.timing is not None:
            found["timing.json"] = encode(self.timing, indent=2) + "\n"
        return found

    def digest(self) -> str:
        """Return what tells this evidence from other evidence: the sha256 of all of it."""
        whole = [self.transcript, self.spans, self.state, self.timing]
        return sha256(encode(whole).encode()).hexdigest()


def simulate(scenario: Scenario, variant: Variant) -> Simulated:
    """Return one simulated call, without sound. Raise SimulatorInvalid where the scenario cannot be played."""
    played = play(scenario, variant)
    transcript = [
        {"role": turn.role, "text": turn.text, "start": turn.start / 1000, "end": turn.end / 1000}
        for turn in played.turns
    ]
    state = None if played.before is None else {"before": played.before, "after": played.after}
    return Simulated(variant=variant, played=played, transcript=transcript, spans=played.spans, state=state)


def digest_of(parts: Mapping[str, bytes], names: Sequence[str] = ()) -> str:
    """Return the sha256 of files by name, all or some of them."""
    told = {name: sha256(parts[name]).hexdigest() for name in sorted(names or parts)}
    return sha256(encode(told).encode()).hexdigest()

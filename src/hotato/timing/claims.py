"""What the timing scorer says: what it claims, why it withholds a verdict, what a failure asks for."""

from __future__ import annotations

TOOL = "hotato"
SCHEMA_VERSION = "1"
SUITE_ID = "barge-in"
LIMITS = (
    "Energy over time is measured, of each channel on its own; nothing is claimed about words or meaning.",
    "What is expected, yield or hold, is a label that a person gives; the scorer does not infer it.",
    "Noise, music and breath above a channel's threshold count as activity of that channel.",
    "Boundaries are known to one frame and one hop: 30 ms by default.",
    "The two channels are taken to be aligned; a delay between them shifts every number by as much.",
)

# Why there is no verdict, each with what can be done about it.
CANNOT = {
    "silent_caller": "the caller's channel stays below {caller_threshold} dBFS throughout; record it, or name the right channel",
    "silent_agent": "the agent's channel stays below {agent_threshold} dBFS throughout; record it, or name the right channel",
    "same_channels": "both channels hold the same sound, so who is heard cannot be told; record each side on its own channel",
    "noisy_caller": "the caller's channel is steady noise of {caller_floor} dBFS from which speech does not stand out; "
    "record it with less noise, or lower below_peak_db",
    "noisy_agent": "the agent's channel is steady noise of {agent_floor} dBFS from which speech does not stand out; "
    "record it with less noise, or lower below_peak_db",
    "no_onset": "the caller is never active for {min_onset_sec} s at a stretch; label the onset",
    "caller_not_there": "the caller is not active within {caller_near_sec} s of the onset labelled; correct the label",
    "agent_not_talking": "the agent is not talking at the onset, so there is nothing to {expect}; "
    "label the onset of an interruption",
    "ends_too_soon": "the recording ends before it shows whether the agent yields; record {window_sec} s after the onset",
    "echo": "one channel bleeds into the other (coherence {coherence}, lag {lag_sec} s), and a verdict is withheld then; "
    "record the sides apart, or cancel the echo",
}

# What a failed event asks for: title, and what to look at.
FIXES = {
    "no_yield": (
        "The agent talks on through the caller",
        (
            "Stop the agent's speech as soon as the caller is heard: look at whether interruption is on, at the detector's "
            "sensitivity, and at sound that is queued for playing."
        ),
    ),
    "slow_yield": (
        "The agent yields too late",
        (
            "Shorten the way from the caller's first sound to the agent's silence: the least speech that counts as an "
            "interruption, and the sound that is queued for playing."
        ),
    ),
    "talk_over": (
        "Both talk for too long",
        "Stop sooner, or lower the agent's voice while it is not yet known whether the caller goes on.",
    ),
    "false_yield": (
        "The agent stops for a backchannel",
        "Let short sounds of assent pass: ask for more speech, or for words, before the agent stops.",
    ),
}

# What is noted beside a measurement.
NOTES = {
    "cut": "the recording ends {after_onset_sec} s after the onset, before the window of {window_sec} s does",
    "silent_at_onset": "the agent is not talking at the onset",
    "echo": "bleed between the channels is suspected (coherence {coherence}, lag {lag_sec} s)",
    "clipped": "{clipped} samples lie beyond full scale and count as full scale",
    "left_over": "one file is {left_over_sec} s longer than the other; what lies beyond the shorter is not judged",
    "caller_cap": "the caller's channel is loud throughout; its threshold is {below_peak_db} dB below its peak",
    "agent_cap": "the agent's channel is loud throughout; its threshold is {below_peak_db} dB below its peak",
}

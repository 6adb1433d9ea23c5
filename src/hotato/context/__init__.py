"""From files or objects to a call: transcripts and traces, read with care, normalised once."""

"""Speech to text and text to speech: optional parts, each behind an extra."""

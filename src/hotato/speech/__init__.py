"""Speech to text and text to speech: optional parts, each behind an extra."""

ENGINES = {"faster-whisper": "faster_whisper", "pocketsphinx": "pocketsphinx"}  # to the package that each one needs

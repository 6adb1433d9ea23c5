"""hotato: deterministic proof of what happened on a voice agent's call."""

__version__ = "0.1.0"

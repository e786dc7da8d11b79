"""When a statistic does not apply it says so; no function of this package returns NaN or infinity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auto_benchmark.errors import AutoBenchmarkError

Array = NDArray[np.float64]
RELATIVE_TOLERANCE = 1e-9
SHARE_OF_AN_ITEM = 1e-3
"""Seeds that move a score by less than this share of one item's weight have not answered one item otherwise."""
SHARE_OF_A_SCORE = 1e-6
"""The same for a score of which no items are known: spread over its size."""
LARGEST = 1e100
"""Squares of larger numbers overflow; squares of differences below its inverse vanish."""


class NotApplicableError(AutoBenchmarkError):
    """A statistic cannot be computed from these data; the text says why in words for a report."""


def sample(values: Sequence[float] | Array, minimum: int, what: str) -> Array:
    """``values`` as a 1-D float array.

    Args:
        values: one number per observation.
        minimum: fewest observations that the caller can use.
        what: name of the observations, for the message.

    Raises:
        NotApplicableError: on too few or non-finite values.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise NotApplicableError(f"{what}: expected one number per observation, got shape {array.shape}")
    if array.size < minimum:
        raise NotApplicableError(f"{what}: {array.size} given, at least {minimum} needed")
    if not np.isfinite(array).all():
        raise NotApplicableError(f"{what}: holds a value that is not finite")
    if array.size and np.abs(array).max() > LARGEST:
        raise NotApplicableError(f"{what}: holds a value beyond {LARGEST:g}, whose square cannot be computed with")
    return array


def is_constant(values: Array, scale: float | None = None) -> bool:
    """Whether all values agree within 1e-9 of ``scale`` (default: the largest absolute value).

    Equal measurements differ by rounding after a subtraction, so exact comparison would turn "no variance" into a
    tiny variance and an enormous t (hazard: scipy issues 14418, 16861).
    """
    if values.size == 0:
        return True
    size = float(np.abs(values).max()) if scale is None else abs(scale)
    return bool(np.ptp(values) <= max(RELATIVE_TOLERANCE * size, 1 / LARGEST))


def least_spread(scale: float, resolution: float | None = None) -> float:
    """Spread between seeds, largest less smallest score, up to which they cannot be told from one seed.

    Args:
        scale: size of the scores.
        resolution: what one whole item adds to the metric, where that is known.
    """
    smallest = SHARE_OF_A_SCORE * abs(scale) if resolution is None else SHARE_OF_AN_ITEM * resolution
    return max(smallest, RELATIVE_TOLERANCE * abs(scale), 1 / LARGEST)

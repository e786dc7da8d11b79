"""Names of the fairness metrics that every scored benchmark with slices has."""

from __future__ import annotations

WORST_SLICE, SLICE_GAP = "worst_slice", "slice_gap"
SLICE_METRICS = (WORST_SLICE, SLICE_GAP)
"""The primary metric on the slice where it is worst, and its distance between the best and the worst slice."""

"""Quantiles of the standard normal distribution that are used by name."""

from __future__ import annotations

Z95 = 1.959963984540054
"""97.5 % quantile: a 95 % interval reaches so many standard errors to either side."""

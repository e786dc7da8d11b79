"""Numbers as a reader wants them: as many decimals as the noise allows."""

from __future__ import annotations

import math

from auto_benchmark.grid.table import Summary


def decimals(spread: float) -> int:
    """Decimals that show two significant digits of ``spread``."""
    return min(8, max(0, 1 - math.floor(math.log10(spread)))) if spread > 0 else 4


def plain(value: float | None, digits: int | None = None) -> str:
    """A number with ``digits`` decimals, four significant ones otherwise; a dash for None."""
    if value is None:
        return "—"
    if digits is not None:
        return f"{value:.{digits}f}"
    return f"{value:.6g}" if abs(value) >= 1000 else f"{value:.4g}"


def mean_and_spread(summary: Summary | None) -> str:
    """``0.8230 ± 0.0041``; the mean alone with one seed."""
    if summary is None:
        return "—"
    if summary.sd is None:
        return f"{plain(summary.mean)} (one seed)"
    if summary.sd == 0:
        return f"{plain(summary.mean)} ± 0"
    digits = decimals(summary.sd)
    return f"{summary.mean:.{digits}f} ± {summary.sd:.{digits}f}"


def interval(bounds: tuple[float, float] | None, *, signed: bool = False) -> str:
    """``[0.818, 0.828]``, or a dash."""
    if bounds is None:
        return "—"
    digits = decimals(abs(bounds[1] - bounds[0]) / 4)
    sign = "+" if signed else ""
    return f"[{bounds[0]:{sign}.{digits}f}, {bounds[1]:{sign}.{digits}f}]"


def probability(p: float | None) -> str:
    """``0.031``, ``< 0.0001``, or a dash."""
    if p is None:
        return "—"
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"

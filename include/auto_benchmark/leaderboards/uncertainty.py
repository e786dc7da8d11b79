"""When two scores cannot be told apart, and how likely each entry is to be truly first.

The binomial standard error sqrt(p (1 - p) / n) of a share p over n items is the smallest that an evaluation on n
items can have; published standard errors and intervals take precedence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from auto_benchmark.stats.normal import Z95
from auto_benchmark.tables.entry import Entry


def standard_error(entry: Entry, *, items: int | None = None, stderr: float | None = None) -> float | None:
    """The entry's own standard error, else the board's, else the binomial one.

    Args:
        entry: the entry; a score in [0, 1] or, where above 1, in percent.
        items: evaluation items; None where the metric is not a share.
        stderr: the board's standard error.
    """
    if entry.stderr is not None:
        return entry.stderr
    if stderr is not None:
        return stderr
    if items is None or entry.score is None:
        return None
    scale = 100.0 if entry.score > 1 else 1.0
    share = entry.score / scale
    return scale * math.sqrt(share * (1 - share) / items) if 0 <= share <= 1 else None


def inseparable(a: float, b: float, error_a: float | None, error_b: float | None) -> bool:
    """Whether a difference lies inside the 95 % interval of the difference. Unknown errors separate everything."""
    if error_a is None or error_b is None:
        return a == b
    return abs(a - b) <= Z95 * math.hypot(error_a, error_b)


def probability_first(
    scores: Sequence[float], errors: Sequence[float | None], *, higher_is_better: bool, points: int = 400
) -> list[float] | None:
    """P(entry is truly #1), each score read as a normal distribution; None when no error is known.

    The integral of f_i(x) prod_{j != i} F_j(x) over x, by the trapezoid rule. Entries without an error count as
    exact; ties of exact entries share.

    Args:
        scores: published scores.
        errors: standard errors, None where unknown.
        higher_is_better: direction.
        points: nodes of the rule.
    """
    if not scores or all(e is None for e in errors):
        return None
    sign = 1.0 if higher_is_better else -1.0
    means = [sign * s for s in scores]
    floor = max(abs(m) for m in means) * 1e-9 + 1e-12
    spreads = [max(e or 0.0, floor) for e in errors]
    top = max(m - 6 * s for m, s in zip(means, spreads, strict=True))
    field = [i for i, (m, s) in enumerate(zip(means, spreads, strict=True)) if m + 6 * s >= top]
    nodes = sorted({means[i] + spreads[i] * (12 * k / points - 6) for i in field for k in range(points + 1)})
    wins = [0.0] * len(scores)
    previous: tuple[float, list[float]] | None = None
    for x in nodes:
        cdfs = [_cdf((x - means[i]) / spreads[i]) for i in field]
        product = math.prod(cdfs)
        values = [
            _pdf((x - means[i]) / spreads[i]) / spreads[i] * (product / c if c > 0 else 0.0)
            for i, c in zip(field, cdfs, strict=True)
        ]
        if previous is not None:
            width = x - previous[0]
            for i, a, b in zip(field, previous[1], values, strict=True):
                wins[i] += width * (a + b) / 2
        previous = (x, values)
    total = sum(wins)
    return [w / total for w in wins] if total > 0 else None


def saturation(
    scores: Sequence[float], errors: Sequence[float | None], *, higher_is_better: bool, top: int = 10
) -> float | None:
    """Share of the first ``top`` entries that cannot be told from #1; None when errors are unknown.

    1 means that the board no longer separates its best systems.
    """
    pairs = sorted(zip(scores, errors, strict=True), key=lambda p: -p[0] if higher_is_better else p[0])[:top]
    if len(pairs) < 2 or any(e is None for _, e in pairs):
        return None
    best, error = pairs[0]
    tied = sum(1 for s, e in pairs[1:] if inseparable(best, s, error, e))
    return tied / (len(pairs) - 1)


def _cdf(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def _pdf(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

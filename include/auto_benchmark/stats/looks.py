"""When a candidate is looked at: after 1, 3, 5, 8 and 12 seeds."""

from __future__ import annotations

LOOKS = (1, 3, 5, 8, 12)
CAP = LOOKS[-1]
PROMOTE_FROM = 3
"""One seed may stop a candidate for futility; only three or more may promote it."""


def next_look(seeds: int) -> int | None:
    """The first look that needs more than ``seeds`` seeds; None at the cap."""
    return next((look for look in LOOKS if look > seeds), None)

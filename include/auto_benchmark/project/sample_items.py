"""Sample data of a new benchmark: points on three rings, one of three columns being noise."""

from __future__ import annotations

import json
import math
import random

RINGS = {"inner": 1.0, "middle": 2.0, "outer": 3.0}
SIZES = {"train": 300, "search": 300, "gate": 600}
BLUR = 0.35


def sample_items(split: str) -> str:
    """JSON Lines of one split; the same rows each time."""
    rng = random.Random(f"auto-benchmark sample {split}")  # noqa: S311 - not for secrets
    lines = []
    for number in range(1, SIZES[split] + 1):
        ring = rng.choice(sorted(RINGS))
        angle, radius = rng.uniform(0, 2 * math.pi), rng.gauss(RINGS[ring], BLUR)
        point = {"x": radius * math.cos(angle), "y": radius * math.sin(angle), "noise": rng.gauss(0, 1)}
        shown = {name: round(value, 3) for name, value in point.items()}
        lines.append(json.dumps({"id": f"{split}-{number}", "input": shown, "answer": ring}))
    return "\n".join(lines) + "\n"

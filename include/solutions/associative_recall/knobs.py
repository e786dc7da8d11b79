"""The configuration: every knob with its default and its limits, as ``solution.yaml`` declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

LIMITS: dict[str, tuple[Any, ...]] = {
    "mixer": ("attention", "linear", "gated", "delta", "convolution", "hybrid"),
    "feature_map": ("elu", "relu", "softmax", "identity"),
    "position": ("none", "learned", "rotary"),
    "state_size": (4, 8, 16, 32, 64),
    "width": (32, 64, 128, 256),
    "heads": (1, 2, 4),
    "depth": (1, 4),
    "mlp_ratio": (0, 4),
    "short_conv": (0, 4),
    "mimetic": (False, True),
    "batch": (16, 32, 64, 128, 256),
    "steps": (20, 5000),
    "learning_rate": (1e-4, 3e-2),
    "schedule": ("constant", "linear", "cosine"),
    "warmup": (0.0, 0.5),
    "curriculum": (0.0, 0.8),
    "weight_decay": (0.0, 0.5),
    "beta2": (0.9, 0.999),
    "clip": (0.1, 10.0),
}
CHOICES = {"state_size", "width", "heads", "batch"}
"""Numeric knobs whose limits are a list of values."""


class KnobError(ValueError):
    """A parameter that this solution does not have, or a value it does not take."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """One configuration; ``docs/solutions/associative_recall.md`` says what each knob does."""

    mixer: str = "linear"
    feature_map: str = "elu"
    position: str = "none"
    state_size: int = 16
    width: int = 64
    heads: int = 1
    depth: int = 2
    mlp_ratio: int = 0
    short_conv: int = 2
    mimetic: bool = False
    batch: int = 64
    steps: int = 1000
    learning_rate: float = 1e-3
    schedule: str = "constant"
    warmup: float = 0.0
    curriculum: float = 0.0
    weight_decay: float = 0.1
    beta2: float = 0.999
    clip: float = 1.0

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Knobs:
        """Defaults overlaid with ``params``.

        Raises:
            KnobError: naming the first knob that does not exist or refuses its value.
        """
        known = {field.name: str(field.type) for field in fields(cls)}
        for name, value in params.items():
            if name not in known:
                raise KnobError(f"{name}: no such knob; there are {', '.join(known)}")
            if reason := _refusal(name, known[name], value):
                raise KnobError(f"{name}: {reason}, is {value!r}")
        casts = {"int": int, "float": float, "bool": bool}
        return cls(**{n: casts.get(known[n], str)(v) for n, v in params.items()})


def _refusal(name: str, kind: str, value: Any) -> str | None:
    limits = LIMITS[name]
    if kind == "bool":
        return None if isinstance(value, bool) else "should be true or false"
    if kind == "str" or name in CHOICES:
        fits = value in limits and not isinstance(value, bool)
        return None if fits else f"should be one of {', '.join(map(str, limits))}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "should be a number"
    if kind == "int" and value != int(value):
        return "should be a whole number"
    return None if limits[0] <= value <= limits[1] else f"should lie in [{limits[0]:g}, {limits[1]:g}]"

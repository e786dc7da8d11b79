"""The configuration: every knob with its default and its limits, as ``solution.yaml`` declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

LIMITS: dict[str, tuple[float, float] | tuple[str, ...]] = {
    "lexical_weight": (0.0, 1.0),
    "stemming": ("none", "light", "prefix"),
    "ngram_max": (1, 3),
    "term_saturation": (0.2, 3.0),
    "length_norm": (0.0, 1.0),
    "expansion_terms": (0, 20),
    "feedback_terms": (0, 10),
    "dense_dim": (2, 128),
    "context_window": (0, 6),
    "summary_weight": (0.0, 1.0),
    "recency_decay": (0.0, 2.0),
    "time_filter": (),
    "top_k": (1, 20),
    "rerank_weight": (0.0, 2.0),
    "update_handling": ("none", "latest"),
    "multi_hop_steps": (1, 3),
    "abstention_threshold": (0.0, 0.95),
}


class KnobError(ValueError):
    """A parameter that this solution does not have, or a value it does not take."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """One configuration; ``docs/solutions/memory_retrieval.md`` says what each knob does."""

    lexical_weight: float = 0.7
    stemming: str = "light"
    ngram_max: int = 1
    term_saturation: float = 1.2
    length_norm: float = 0.75
    expansion_terms: int = 3
    feedback_terms: int = 0
    dense_dim: int = 32
    context_window: int = 2
    summary_weight: float = 0.0
    recency_decay: float = 0.0
    time_filter: bool = False
    top_k: int = 5
    rerank_weight: float = 0.3
    update_handling: str = "none"
    multi_hop_steps: int = 1
    abstention_threshold: float = 0.0

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Knobs:
        """Defaults overlaid with ``params``.

        Raises:
            KnobError: naming the first knob that does not exist or refuses its value.
        """
        known = {field.name: field.type for field in fields(cls)}
        for name, value in params.items():
            if name not in known:
                raise KnobError(f"{name}: no such knob; there are {', '.join(known)}")
            if reason := _refusal(str(known[name]), LIMITS[name], value):
                raise KnobError(f"{name}: {reason}, is {value!r}")
        casts = {"int": int, "float": float}
        return cls(**{n: casts.get(str(known[n]), lambda v: v)(v) for n, v in params.items()})


def _refusal(kind: str, limits: tuple[Any, ...], value: Any) -> str | None:
    if kind == "bool":
        return None if isinstance(value, bool) else "should be true or false"
    if kind == "str":
        return None if value in limits else f"should be one of {', '.join(limits)}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "should be a number"
    if kind == "int" and value != int(value):
        return "should be a whole number"
    return None if limits[0] <= value <= limits[1] else f"should lie in [{limits[0]:g}, {limits[1]:g}]"

"""Edits of the bundled solution's program that keep what it means and use random numbers otherwise.

Every edit replaces one expression by another of the same distribution: another seed derived from the given one, another
generator, draws that go unused, another way to draw the same thing. Those of ``SAME`` come to the same result by other
arithmetic, and should be refused as changing nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

RNG = "rng = np.random.default_rng(trial.seed)"
SAMPLE = "[conversations[i] for i in rng.permutation(len(conversations))[:size]]"
LEARN = "language = learn(sample, vocabulary, knobs, rng)"
NORMAL = "rng.standard_normal((len(pmi), dim))"
FILES = {RNG: "train.py", SAMPLE: "memory.py", LEARN: "memory.py", NORMAL: "language.py"}
GENERATORS = ("MT19937", "PCG64DXSM", "Philox", "SFC64")
SAME = "same_result"
FAMILIES: dict[str, tuple[str, Callable[[int], str]]] = {
    "seed_plus": (RNG, lambda k: f"rng = np.random.default_rng(trial.seed + {10**9 * k + k})"),
    "seed_times": (RNG, lambda k: f"rng = np.random.default_rng(trial.seed * {2 * k + 1} + {7 * 10**11 + k})"),
    "seed_and_constant": (RNG, lambda k: f"rng = np.random.default_rng([trial.seed, {k}])"),
    "spawned": (RNG, lambda k: f"rng = np.random.default_rng(np.random.SeedSequence(trial.seed).spawn({k})[-1])"),
    "jumped": (RNG, lambda k: f"rng = np.random.Generator(np.random.PCG64(trial.seed).jumped({k}))"),
    "other_generator": (
        RNG,
        lambda k: f"rng = np.random.Generator(np.random.{GENERATORS[k % 4]}([trial.seed, {k // 4}]))",
    ),
    "extra_draws": (RNG, lambda k: f"{RNG}\n    rng.random({k})"),
    "draws_between": (LEARN, lambda k: f"rng.standard_normal({k})\n    {LEARN}"),
    "own_stream": (
        LEARN,
        lambda k: f"language = learn(sample, vocabulary, knobs, np.random.default_rng([{k}, rng.integers(2**62)]))",
    ),
    "rolled_permutation": (
        SAMPLE,
        lambda k: f"[conversations[i] for i in np.roll(rng.permutation(len(conversations)), {k})[:size]]",
    ),
    "chosen": (
        SAMPLE,
        lambda k: f"[conversations[i] for i in np.random.default_rng([{k}, rng.integers(2**62)])"
        ".choice(len(conversations), size, replace=False)]",
    ),
    "sorted_keys": (
        SAMPLE,
        lambda k: f"[conversations[i] for i in np.argsort(rng.random(len(conversations) + {k})[{k}:])[:size]]",
    ),
    "polar_normal": (
        NORMAL,
        lambda k: f"(np.sqrt(-2 * np.log(1 - rng.random(({k}, len(pmi), dim))[-1]))"
        " * np.cos(2 * np.pi * rng.random((len(pmi), dim))))",
    ),
    "transposed": (NORMAL, lambda k: f"rng.standard_normal((dim + {k}, len(pmi))).T[:, {k}:]"),
    SAME: (NORMAL, lambda k: f"({'-' * (k % 2)}{2.0 ** (k // 2)} * {NORMAL})"),
}  # fmt: skip
MANY, OF_SAME = 300, 6


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in one file of the solution."""

    name: str
    family: str
    file: str
    old: str
    new: str


def edits() -> list[Edit]:
    """All of them, in an order that mixes the families and is the same each time."""
    names = [(SAME, k) for k in range(1, OF_SAME + 1)]
    others = [family for family in FAMILIES if family != SAME]
    names += [(others[i % len(others)], 1 + i // len(others)) for i in range(MANY - OF_SAME)]
    random.Random(18).shuffle(names)
    found = []
    for family, k in names:
        old, make = FAMILIES[family]
        found.append(Edit(f"{family}_{k}", family, FILES[old], old, make(k)))
    return found

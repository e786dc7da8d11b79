"""The plots of ``docs/statistics.md``, from the simulation: PYTHONPATH=include python perf/plot_statistics.py."""

from dataclasses import replace
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from auto_benchmark.stats.power import minimum_detectable_effect
from auto_benchmark.stats.simulation.run import run
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS, Effect, Scenario, item_sd

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
SIXTY = Scenario(60, 2000, USUAL_EFFECTS)
NAMES = {
    "greedy": "one trial, greedy",
    "seed_rule_n3": "three-seed t test",
    "fixed_n10": "ten-seed t test",
    "sequential": "default gate",
    "sequential_wealth": "default gate with alpha wealth",
}
STYLES = {"seed_rule_n3": ":", "fixed_n10": "--", "sequential": "-"}


def save(figure, name: str) -> None:
    figure.tight_layout()
    figure.savefig(IMAGES / name, dpi=90, metadata={"Software": None})
    plt.close(figure)


def operating_characteristics() -> None:
    """One candidate against ten control trials: how often promoted, after how many seeds."""
    effects = np.arange(-1.0, 3.01, 0.25)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    for policy, style in STYLES.items():
        found = [
            run(Scenario(1, 4000, (Effect(1.0, float(d), float(d)),), defense_runs=0), [policy])[0] for d in effects
        ]
        fixed = {"seed_rule_n3": 3, "fixed_n10": 10}.get(policy)
        seeds = [fixed or r.trials - 10 * (1 + r.promoted) for r in found]
        left.plot(effects, [r.promoted for r in found], style, color="black", label=NAMES[policy])
        right.plot(effects, seeds, style, color="black")
    left.set(xlabel="true effect / sd of a trial", ylabel="probability of promotion")
    right.set(xlabel="true effect / sd of a trial", ylabel="mean candidate seeds", ylim=(0, 12))
    left.axhline(0.025, color="grey", linewidth=0.6)
    left.legend(frameon=False)
    save(figure, "operating_characteristics.png")


def minimum_effects() -> None:
    """What a benchmark of so many items can see with sd .004 between seeds and ten control trials."""
    items = np.unique(np.logspace(2.3, 5, 80).astype(int))
    figure, axes = plt.subplots(figsize=(5.4, 3.6))
    for seeds, style in ((3, ":"), (5, "--"), (12, "-")):
        seen = [minimum_detectable_effect(0.004, seeds, 10, items=int(n)) for n in items]
        axes.loglog(items, seen, style, color="black", label=f"{seeds} seeds")
    axes.axhline(0.005, color="grey", linewidth=0.8)
    axes.text(220, 0.0052, "threshold 0.005", color="grey")
    axes.set(xlabel="test items (5 % discordance)", ylabel="smallest effect seen (80 % power)")
    axes.legend(frameon=False)
    save(figure, "minimum_detectable_effect.png")


def policies() -> None:
    """Trials and true gain on the sixty-hypothesis scenario; the number is the false share."""
    figure, axes = plt.subplots(figsize=(5.4, 3.6))
    for r in run(SIXTY):
        axes.plot(r.trials, r.true_gain, "o", color="black")
        axes.annotate(
            f"{NAMES[r.name]}\n{r.false_share:.0%} false",
            (r.trials, r.true_gain),
            textcoords="offset points",
            xytext=(6, -14 if r.name == "sequential_wealth" else 4),
            fontsize=8,
        )
    axes.set(xlabel="trials per 60 hypotheses", ylabel="true gain / sd of a trial", xlim=(0, 760), ylim=(0, 13))
    save(figure, "policies.png")


def item_luck() -> None:
    """False promotions per null hypothesis when fresh seeds meet the same items."""
    sizes = (500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
    figure, axes = plt.subplots(figsize=(5.4, 3.6))
    for policy, style in STYLES.items():
        rates = [
            run(replace(SIXTY, repetitions=600, item_sd=item_sd(n, 0.05, 0.004)), [policy])[0].type_i for n in sizes
        ]
        axes.semilogx(sizes, rates, style, marker=".", color="black", label=NAMES[policy])
    axes.axhline(0.025, color="grey", linewidth=0.6)
    axes.set(xlabel="test items (5 % discordance)", ylabel="false promotions per null")
    axes.legend(frameon=False)
    save(figure, "item_luck.png")


if __name__ == "__main__":
    IMAGES.mkdir(parents=True, exist_ok=True)
    operating_characteristics()
    minimum_effects()
    policies()
    item_luck()

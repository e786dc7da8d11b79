"""How often clean production is reported, and how soon a loss is: the defense's own rules on simulated trials.

    nice python perf/defense_alarms.py [RUNS]

A run is 200 cycles of two trials. Production has a baseline of twelve trials; the noise is estimated from as many
degrees of freedom as the row says. A ringing CUSUM asks for eight fresh trials; if these do not confirm the loss the watch
begins anew, as defense/production.py does it. Written to perf/results/defense_alarms.json.
"""

import sys
from pathlib import Path
from statistics import median

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

from measured import keep  # noqa: E402

from auto_benchmark.defense.production import PER_CYCLE  # noqa: E402
from auto_benchmark.defense.response import FRESH  # noqa: E402
from auto_benchmark.defense.watch import BASELINE  # noqa: E402
from auto_benchmark.promotion.defense import FALSE_ALERTS, Watched, confirm, rings  # noqa: E402
from auto_benchmark.stats.intervals import rate_interval  # noqa: E402
from auto_benchmark.stats.noise import PooledNoise  # noqa: E402

CYCLES, CHANGE_AT, MEAN, THRESHOLD = 200, 50, 0.6, 0.005


def run(seed: int, *, sd: float, df: int, loss: float) -> tuple[int | None, int]:
    """(cycle of the report or None, alarms that rang); production is ``loss`` worse from CHANGE_AT on."""
    rng = np.random.default_rng(seed)
    baseline = list(rng.normal(MEAN, sd, BASELINE))
    noise = PooledNoise(float(sd * np.sqrt(rng.chisquare(df) / df)), df)
    scores, refuted, rung = [], 0, 0
    for cycle in range(CYCLES):
        mean = MEAN - (loss if cycle >= CHANGE_AT else 0.0)
        scores += list(rng.normal(mean, sd, PER_CYCLE))
        watched = Watched("accuracy", True, THRESHOLD, noise, baseline, scores)
        if rings(watched):
            rung += 1
            if confirm(watched, list(rng.normal(mean, sd, FRESH)), earlier=refuted).confirmed:
                return cycle, rung
            scores, refuted = [], refuted + 1
    return None, rung


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    found = []
    print(
        "| sd | df of the noise | loss | of the score | runs | reported | 95 % interval | median delay, cycles | rang |"
    )
    print("|---|---:|---:|---:|---:|---:|---|---:|---:|")
    for sd, df in ((0.0026, 30), (0.0026, 12), (0.009, 30)):
        for loss in (0.0, 0.006, 0.012, 0.018, 0.03):
            count = runs if loss == 0 else max(200, runs // 10)
            told = [run(seed, sd=sd, df=df, loss=loss) for seed in range(count)]
            alerts = [cycle for cycle, _ in told if cycle is not None]
            late = [cycle - CHANGE_AT for cycle in alerts if cycle >= CHANGE_AT]
            low, high = rate_interval(len(alerts), count)
            row = {
                "sd": sd, "df": df, "loss": loss, "loss_share": loss / MEAN, "runs": count, "reported": len(alerts),
                "interval": [low, high], "median_delay": median(late) if late and loss else None,
                "rang_per_run": sum(rung for _, rung in told) / count,
            }  # fmt: skip
            found.append(row)
            print(
                f"| {sd} | {df} | {loss} | {loss / MEAN:.1%} | {count} | {len(alerts)} | {low:.2%} to {high:.2%} "
                f"| {row['median_delay'] if row['median_delay'] is not None else '–'} | {row['rang_per_run']:.2f} |",
                flush=True,
            )
    facts = {"cycles": CYCLES, "promised_per_metric": FALSE_ALERTS, "rows": found}
    keep("defense_alarms", facts)


if __name__ == "__main__":
    main()

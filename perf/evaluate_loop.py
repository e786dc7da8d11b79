"""The loop against simpler ways of spending the same trials, in fresh worlds made from stored real trials.

    nice python perf/evaluate_loop.py [WORLDS] [TRIALS]

A world takes the stored means (perf/data/search_table.csv) as truth. It draws a start among the worse half, a
competitor at the 99th percentile, and for every configuration what the choice of items on the search split adds
(sd ITEM_LUCK, the same in every trial of it). A trial adds a residual of the stored seeds. In a placebo world all
configurations are equally good.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "include")]

from search_table import World as Table  # noqa: E402

from auto_benchmark.hypotheses.search import choose  # noqa: E402
from auto_benchmark.hypotheses.search.proposals import propose  # noqa: E402
from auto_benchmark.hypotheses.search.results import Tried  # noqa: E402
from auto_benchmark.hypotheses.search.space import single_changes  # noqa: E402
from auto_benchmark.hypotheses.strategy import Strategy  # noqa: E402
from auto_benchmark.pipelines.experiment_sweep import EXPERIMENTS_PER_SWEEP  # noqa: E402
from auto_benchmark.pipelines.experiments import LEAST_CONTROL  # noqa: E402
from auto_benchmark.pipelines.promotion import FRESH_SEEDS  # noqa: E402
from auto_benchmark.pipelines.search import BASE_SEEDS, LIMITS  # noqa: E402
from auto_benchmark.promotion.decision import Evidence, Noise, Observation, Verdict  # noqa: E402
from auto_benchmark.promotion.gate import decide  # noqa: E402
from auto_benchmark.stats.looks import LOOKS  # noqa: E402
from auto_benchmark.stats.noise import pooled  # noqa: E402

THRESHOLD, ITEM_LUCK, QUANTILE = 0.005, 0.006, 0.99


class World:
    """One world: true means, a start, a competitor."""

    def __init__(self, table: Table, seed: int, *, placebo: bool = False) -> None:
        self.rng, self.table = np.random.default_rng(seed), table
        self.knobs, self.names = table.knobs, table.names
        ordered = sorted(table.means, key=lambda key: table.means[key])
        start = ordered[int(self.rng.integers(len(ordered) // 2))]
        self.base = dict(zip(table.names, start, strict=True))
        level = table.means[start]
        self.truths = dict.fromkeys(table.means, level) if placebo else table.means
        values = sorted(table.means.values())
        self.rival = level + 0.02 if placebo else values[int(QUANTILE * len(values))]
        self.luck = {key: float(self.rng.normal(0, ITEM_LUCK)) for key in table.means}
        scale = (5 / 4) ** 0.5
        self.residuals = np.array([scale * (s - table.means[k]) for k, v in table.scores.items() for s in v])
        self.trials = 0

    def truth(self, params) -> float:
        return self.truths[self.table.key(params)]

    def search(self, params) -> float:
        self.trials += 1
        return self.truth(params) + self.luck[self.table.key(params)] + float(self.rng.choice(self.residuals))

    def gate(self, params) -> float:
        self.trials += 1
        return self.truth(params) + float(self.rng.choice(self.residuals))


@dataclass
class Run:
    """What one policy did in one world."""

    production: dict
    first: float
    promotions: list[tuple[float, float]] = field(default_factory=list)
    """(true gain, claimed gain) of each change of production."""
    reached: int | None = None
    said_plateau: bool = False

    def promote(self, world: World, params, claimed: float) -> None:
        self.promotions.append((world.truth(params) - world.truth(self.production), claimed))
        self.production = params
        if self.reached is None and world.truth(params) >= world.rival:
            self.reached = world.trials


def loop(world: World, budget: int, *, gated: bool = True, joins: bool = True) -> Run:
    """Search rounds, proposals, the gate with looks and fresh seeds; as the pipelines do it."""
    run, base = Run(world.base, world.truth(world.base)), world.base
    seen: dict[tuple, tuple[dict, list[float]]] = {}
    dead, groups, control = set(), {}, []

    def tried():
        return [Tried(params, tuple(scores)) for params, scores in seen.values()]

    def look_up(params):
        seen.setdefault(world.table.key(params), (params, []))[1].append(world.search(params))

    while world.trials < budget:
        asked_any = False
        for look, limit in enumerate(LIMITS):
            have = len(seen.get(world.table.key(base), ({}, []))[1])
            asked = _asked(world, base, tried(), look, limit, joins)
            asked_any |= bool(asked)
            for params in [base] * max(0, BASE_SEEDS - have) + asked:
                if world.trials < budget:
                    look_up(params)
        run.said_plateau = choose.has_plateaued(base, tried())
        fresh = [p for p in propose(base, tried(), limit=10) if world.table.key({**base, **p.patch}) not in dead]
        if not fresh and not asked_any:
            break
        for proposal in fresh[:EXPERIMENTS_PER_SWEEP]:
            params = {**base, **proposal.patch}
            dead.add(world.table.key(params))
            if not gated:
                run.promote(world, params, proposal.measured_gain)
                base = params
                break
            verdict, claimed = _gate(world, run, params, control, groups, budget)
            if verdict is Verdict.PROMOTE:
                run.promote(world, params, claimed)
                base, control = params, []
                break
            if verdict is Verdict.CHALLENGER:
                base = params
                break
    return run


def _asked(world: World, base, tried, look, limit, joins):
    if not joins:
        known = [t.params for t in tried]
        return [p for p in single_changes(world.knobs, base) if p not in known][:limit]
    return choose.ask(
        Strategy.ABLATION, world.knobs, base, tried, known_techniques={}, look=look, limit=limit
    ).params  # fmt: skip


def _gate(world: World, run: Run, params, control: list[float], groups: dict, budget: int):
    candidate: list[float] = []
    verdict = None
    for look in LOOKS:
        if world.trials >= budget:
            break
        candidate += [world.gate(params) for _ in range(look - len(candidate))]
        wanted = max(LEAST_CONTROL, look)
        control += [world.gate(run.production) for _ in range(wanted - len(control))]
        groups[world.table.key(params)], groups[world.table.key(run.production)] = candidate, control
        noise = pooled([g for g in groups.values() if len(g) > 1])
        verdict = decide(
            Evidence(
                metric="m", higher_is_better=True, promotion_threshold=THRESHOLD, leader_score=world.rival,
                noise=Noise(sd=noise.sd, df=noise.df),
                candidate=[Observation(seed=i, metrics={"m": s}) for i, s in enumerate(candidate)],
                control=[Observation(seed=i, metrics={"m": s}) for i, s in enumerate(control)],
            )
        ).verdict  # fmt: skip
        if verdict.is_final:
            break
    if verdict is Verdict.PROMOTE:
        fresh = [world.gate(params) for _ in range(FRESH_SEEDS)]
        return verdict, fmean(fresh) - fmean(control)
    return verdict, 0.0


def no_gate(world: World, budget: int) -> Run:
    return loop(world, budget, gated=False)


def one_knob(world: World, budget: int) -> Run:
    return loop(world, budget, joins=False)


def greedy(world: World, budget: int) -> Run:
    """Change one knob at random, one trial, keep it if it scored higher."""
    run, best = Run(world.base, world.truth(world.base)), world.search(world.base)
    while world.trials < budget:
        changes = single_changes(world.knobs, run.production)
        params = changes[int(world.rng.integers(len(changes)))]
        score = world.search(params)
        if score > best:
            run.promote(world, params, score - best)
            best = score
    return run


def _best_of(world: World, budget: int, suggest) -> Run:
    """Put the best score seen into production whenever there is a new one."""
    run, best = Run(world.base, world.truth(world.base)), world.search(world.base)
    while world.trials < budget:
        params, tell = suggest()
        score = world.search(params)
        tell(score)
        if score > best and params != run.production:
            run.promote(world, params, score - best)
            best = score
    return run


def optuna_alone(world: World, budget: int) -> Run:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=int(world.rng.integers(2**31)))
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def suggest():
        trial = study.ask()
        params = {name: trial.suggest_categorical(name, knob.choices) for name, knob in world.knobs.items()}
        return params, lambda score: study.tell(trial, score)

    return _best_of(world, budget, suggest)


def at_random(world: World, budget: int) -> Run:
    def suggest():
        keys = list(world.table.means)
        return dict(zip(world.names, keys[int(world.rng.integers(len(keys)))], strict=True)), lambda _: None

    return _best_of(world, budget, suggest)


POLICIES = {
    "loop": loop, "greedy": greedy, "Optuna alone": optuna_alone, "random": at_random,
    "loop, no gate": no_gate, "loop, one knob at a time": one_knob,
}  # fmt: skip


def report(table: Table, worlds: int, budget: int, *, placebo: bool) -> None:
    print(f"\n{'placebo worlds' if placebo else 'worlds'}: {worlds}, {budget} trials each")
    print(
        "| policy | at #1 at the end | median trials to #1 | true gain | claimed gain | promotions | false | flat |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, policy in POLICIES.items():
        runs = []
        for seed in range(worlds):
            world = World(table, seed, placebo=placebo)
            runs.append((world, policy(world, budget)))
        made = [p for _, run in runs for p in run.promotions]
        reached = [run.reached if run.reached is not None else budget for _, run in runs]
        there = fmean(world.truth(run.production) >= world.rival for world, run in runs)
        true = fmean(world.truth(run.production) - run.first for world, run in runs)
        claimed = fmean(sum(c for _, c in run.promotions) for _, run in runs)
        false = sum(t <= 0 for t, _ in made) / worlds
        flat = fmean(run.said_plateau for _, run in runs)
        print(
            f"| {name} | {there:.0%} | {median(reached):.0f} | {true:+.4f} | {claimed:+.4f} "
            f"| {len(made) / worlds:.2f} | {false:.2f} | {flat:.0%} |",
            flush=True,
        )


def main() -> None:
    worlds, budget = (int(a) for a in (*sys.argv[1:3], *("40", "150")[len(sys.argv) - 1 :]))
    table = Table()
    print(
        f"{len(table.means)} configurations, {sum(map(len, table.scores.values()))} stored trials, sd {table.sd:.4f}"
    )
    report(table, worlds, budget, placebo=False)
    report(table, worlds, budget, placebo=True)


if __name__ == "__main__":
    main()

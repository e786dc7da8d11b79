"""What the loop is worth: against simpler ways at equal trials, without its parts, in a placebo world, when overtaken.

    nice python perf/evaluate_loop.py [WORLDS] [TRIALS]

Worlds are made from stored real trials (perf/simulated_world.py); the loop in them is perf/simulated_loop.py. Every
table of docs/evaluation.md that is not about single searches is printed here, and the numbers behind it are written to
perf/results/evaluate_loop.json.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

from measured import keep  # noqa: E402
from search_table import TABLE  # noqa: E402
from search_table import World as Table  # noqa: E402
from simulated_loop import Loop, run_loop  # noqa: E402
from simulated_world import Run, World  # noqa: E402

from auto_benchmark.hypotheses.search.space import single_changes  # noqa: E402
from auto_benchmark.stats.intervals import rate_interval  # noqa: E402

TRIALS_A_CYCLE = 40
ANSWER_WITHIN = 150
PLACEBOS = 20
FIRST_RIVAL, LANE_WORLDS = 0.5, 200


def loop(world: World, budget: int) -> Run:
    return run_loop(world, budget)


def no_gate(world: World, budget: int) -> Run:
    return run_loop(world, budget, gated=False)


def no_research(world: World, budget: int) -> Run:
    return run_loop(world, budget, research=False)


def one_knob(world: World, budget: int) -> Run:
    return run_loop(world, budget, joins=False)


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


POLICIES: dict[str, Callable[[World, int], Run]] = {
    "**loop**": loop,
    "loop, no gate": no_gate,
    "loop, no research": no_research,
    "loop, one knob at a time": one_knob,
    "greedy (keep what scored higher)": greedy,
    "Optuna alone (best score seen)": optuna_alone,
    "random (best score seen)": at_random,
}


def compare(table: Table, worlds: int, budget: int, *, placebo: bool) -> list[dict]:
    """Every policy in the same worlds."""
    print(f"\n{'placebo worlds' if placebo else 'worlds'}: {worlds}, {budget} trials each\n")
    print(
        "| policy | at #1 at the end | median trials to #1 | true gain | claimed gain | promotions | false | "
        "says that nothing was found | plateau |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    found = []
    for name, policy in POLICIES.items():
        done = [(world, policy(world, budget)) for world in (World(table, s, placebo=placebo) for s in range(worlds))]
        row = _row(name, done, budget)
        found.append(row)
        says = f"{row['said']} of {row['without_promotion']}" if "loop" in name else "–"
        flat = f"{row['plateau']:.0%}" if "loop" in name else "–"
        print(
            f"| {name} | {row['at_first']:.0%} | {row['trials_to_first']:.0f} | {row['true_gain']:+.4f} "
            f"| {row['claimed_gain']:+.4f} | {row['promotions']:.2f} | {row['false']:.2f} | {says} | {flat} |",
            flush=True,
        )
    return found


def _row(name: str, done: list[tuple[World, Run]], budget: int) -> dict:
    runs = [run for _, run in done]
    quiet = [run for run in runs if not run.promotions]
    return {
        "policy": name.strip("*"),
        "at_first": fmean(world.truth(run.production) >= world.rival for world, run in done),
        "trials_to_first": median(run.reached if run.reached is not None else budget for run in runs),
        "true_gain": fmean(world.truth(run.production) - run.first for world, run in done),
        "claimed_gain": fmean(sum(claimed for _, claimed in run.promotions) for run in runs),
        "promotions": fmean(len(run.promotions) for run in runs),
        "false": fmean(sum(true <= 0 for true, _ in run.promotions) for run in runs),
        "runs_with_a_false_promotion": sum(any(true <= 0 for true, _ in run.promotions) for run in runs),
        "without_promotion": len(quiet),
        "said": sum(run.said.startswith("nothing found") for run in quiet),
        "said_within_noise": sum("within noise" in run.said for run in quiet),
        "plateau": fmean(run.plateau for run in runs),
    }


def placebo_runs(table: Table, budget: int) -> list[dict]:
    """Twenty placebo worlds of their own, one line each."""
    print(f"\n{PLACEBOS} placebo runs of {budget} trials, what the loop says at the end of each\n")
    found = []
    for seed in range(1000, 1000 + PLACEBOS):
        run = loop(World(table, seed, placebo=True), budget)
        found.append(
            {
                "seed": seed,
                "promotions": len(run.promotions),
                "challenger": run.challenger,
                "plateau": run.plateau,
                "said": run.said,
            }
        )
        print(f"- {seed}: {len(run.promotions)} promotions; {run.said}", flush=True)
    false = sum(bool(each["promotions"]) for each in found)
    low, high = rate_interval(false, PLACEBOS)
    print(f"\nruns with a false promotion: {false} of {PLACEBOS} (95 % interval {low:.0%} to {high:.0%})")
    held, flat = sum(each["challenger"] for each in found), sum(each["plateau"] for each in found)
    print(f"runs that hold a challenger at the end: {held}; runs that call the search flat: {flat}")
    return found


def overtaken(table: Table, worlds: int, budget: int) -> dict:
    """A competitor takes #1 at a random moment of a cycle: cycles until we are back, with and without the lane.

    We reach #1 against a competitor at the FIRST_RIVAL quantile; the one that overtakes us is at the usual one.

    The same trials answer either way. With the lane they start at once, in slots of their own; without it they start with
    the next sweep. A cycle has TRIALS_A_CYCLE trials.
    """
    with_lane, without, lost = [], [], 0
    for seed in range(worlds):
        world = World(table, seed)
        hard, world.rival = world.rival, sorted(table.means.values())[int(FIRST_RIVAL * len(table.means))]
        state = Loop(world, budget)
        while state.run.reached is None and state.cycle():
            pass
        if state.run.reached is None or world.truth(state.run.production) >= hard:
            continue
        world.rival = hard
        started, moment = world.trials, float(world.rng.uniform())
        state.run.reached, state.budget = None, started + ANSWER_WITHIN
        while state.run.reached is None and state.cycle():
            pass
        if state.run.reached is None:
            lost += 1
            continue
        took = (state.run.reached - started) / TRIALS_A_CYCLE
        with_lane.append(took)
        without.append(took + (1 - moment))
    row = {
        "worlds": len(with_lane) + lost, "never": lost, "trials_a_cycle": TRIALS_A_CYCLE,
        "with_lane": median(with_lane), "without": median(without), "first_trial_without": fmean(without) - fmean(with_lane),
    }  # fmt: skip
    print(
        f"\novertaken in {row['worlds']} worlds, not back within {ANSWER_WITHIN} trials: {lost}\n\n"
        f"| | median cycles until #1 again | mean cycles until the first trial |\n|---|---:|---:|\n"
        f"| **urgent lane** | {row['with_lane']:.2f} | 0 |\n"
        f"| no urgent lane | {row['without']:.2f} | {row['first_trial_without']:.2f} |",
        flush=True,
    )
    return row


def main() -> None:
    worlds, budget = (int(a) for a in (*sys.argv[1:3], *("40", "150")[len(sys.argv) - 1 :]))
    table = Table()
    print(
        f"{TABLE.name}: {len(table.means)} configurations, {sum(map(len, table.scores.values()))} stored trials, "
        f"sd {table.sd:.4f}"
    )
    facts = {
        "table": TABLE.name,
        "worlds": worlds,
        "trials": budget,
        "policies": compare(table, worlds, budget, placebo=False),
        "placebo": compare(table, worlds, budget, placebo=True),
        "placebo_runs": placebo_runs(table, budget),
        "overtaken": overtaken(table, LANE_WORLDS, budget),
    }
    keep("evaluate_loop", facts)


if __name__ == "__main__":
    main()

"""How many trials until the search recommends a configuration within one sd of the best: ours, Optuna TPE, random.

Every score is one that a real trial gave (perf/store_search_table.py); a repetition draws anew which of the five
seeds a trial shows.

    nice python perf/search_efficiency.py [REPETITIONS]

The first table is the one on which the search's two constants were chosen; the second was stored afterwards, with other
conversations and half of its knobs exchanged, and nothing was chosen on it. Written to
perf/results/search_efficiency.json.
"""

import sys
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "include")]

from measured import keep  # noqa: E402
from search_table import TABLE, Searching, World  # noqa: E402

from auto_benchmark.experiments.search.rounds import BASE_SEEDS, LIMITS  # noqa: E402
from auto_benchmark.hypotheses.search import choose  # noqa: E402
from auto_benchmark.hypotheses.strategy import Strategy  # noqa: E402

MOST = 300


def ours(world: World, seed: int) -> int:
    """The loop's own rounds; between two of them it moves to the best configuration found, as after a promotion."""
    state, base = Searching(world, seed), world.base
    while True:
        for look, limit in enumerate(LIMITS):
            missing = BASE_SEEDS - next((len(t.scores) for t in state.tried if t.params == base), 0)
            asked = choose.ask(
                Strategy.STRUCTURAL, world.knobs, base, state.tried, known_techniques={}, look=look, limit=limit
            )  # fmt: skip
            for params in [base] * max(0, missing) + asked.params:
                state.run(params)
                if state.is_there or state.trials >= MOST:
                    return state.trials
        base = state.recommended


def tpe(world: World, seed: int) -> int:
    """Optuna's sampler with its defaults, one trial at a time."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    state = Searching(world, seed)
    while True:
        trial = study.ask()
        params = {name: trial.suggest_categorical(name, knob.choices) for name, knob in world.knobs.items()}
        before = len(state.seen.get(world.key(params), ((), [], []))[1])
        state.run(params)
        study.tell(trial, state.seen[world.key(params)][1][before])
        if state.is_there or state.trials >= MOST:
            return state.trials


def at_random(world: World, seed: int) -> int:
    """Uniform without repetition."""
    state = Searching(world, seed)
    order = state.rng.permutation(len(world.means))
    keys = list(world.means)
    for i in order:
        state.run(dict(zip(world.names, keys[i], strict=True)))
        if state.is_there or state.trials >= MOST:
            break
    return state.trials


def report(table: Path, repetitions: int) -> dict:
    """Every search on one table."""
    world = World(table)
    there = sum(mean >= world.best - world.sd for mean in world.means.values())
    seeds = {len(scores) for scores in world.scores.values()}
    facts = {
        "table": table.name, "configurations": len(world.means), "trials": sum(map(len, world.scores.values())),
        "seeds": sorted(seeds), "sd": world.sd, "base": world.truth(world.base), "best": world.best,
        "within_one_sd": there, "repetitions": repetitions, "searches": [],
    }  # fmt: skip
    print(
        f"\n{table.name}: {facts['configurations']} configurations, {facts['trials']} trials, sd {world.sd:.4f}, "
        f"base {world.truth(world.base):.4f}, best {world.best:.4f}, within one sd of it: {there}\n\n"
        f"| search | median trials | quartiles | not there after {MOST} |\n|---|---:|---:|---:|"
    )
    for name, search in (("ours", ours), ("Optuna TPE", tpe), ("random", at_random)):
        counts = sorted(search(world, seed) for seed in range(repetitions))
        quarter = counts[len(counts) // 4], counts[3 * len(counts) // 4]
        lost = sum(c >= MOST for c in counts)
        facts["searches"].append({"search": name, "median": median(counts), "quartiles": quarter, "not_there": lost})
        print(f"| {name} | {median(counts):g} | {quarter[0]} to {quarter[1]} | {lost} of {repetitions} |", flush=True)
    return facts


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    tables = [TABLE, TABLE.with_name("held_out_table.csv")]
    found = [report(table, repetitions) for table in tables]
    keep("search_efficiency", {"tables": found})


if __name__ == "__main__":
    main()

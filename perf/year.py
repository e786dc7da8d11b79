"""The loop over a year of real boards: weeks at #1, against greedy search, Optuna's TPE and no urgent lane.

    nice python perf/year.py [WORLDS] [WORKERS]

Competitors move as they moved (perf/market.py), ours by stored real trials (perf/simulated_world.py), the loop is that of
perf/simulated_loop.py. Every SWEEP_DAYS days there are SWEEP_TRIALS trials. Whoever has the urgent lane takes the next
sweep's trials on the day on which competitors push it down, so that all have the same number. Three of the eight knobs are
known on the first day; the others come in one by one, as ideas do. Results go to perf/results/year.json world by world;
a run that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

import numpy as np  # noqa: E402
from market import HISTORIES, Market, mapping, markets  # noqa: E402
from measured import RESULTS  # noqa: E402
from search_table import TABLE  # noqa: E402
from search_table import World as Table  # noqa: E402
from simulated_loop import Loop  # noqa: E402
from simulated_world import Run, World  # noqa: E402

from auto_benchmark.hypotheses.search.space import single_changes  # noqa: E402
from auto_benchmark.stats.intervals import t_interval  # noqa: E402

RESULT = RESULTS / "year.json"
WORLDS = 10
SWEEP_DAYS, SWEEP_TRIALS = 14, 10
KNOWN_AT_FIRST = 3
TRIED_WHILE_WRITING = ("aider-polyglot", "alpaca-eval-2", "bfcl-overall")
"""Boards that this program was run on while it was written. After a look at two of them SWEEP_TRIALS went from 20 to 10,
where the gate's own trials count for more; nothing else was chosen by a result. The other boards had no part in that."""
UNTIL = {"all year": 1.0, "half the year": 0.5}
"""How long our best configuration keeps up with the board."""
TABLES = {"first table": TABLE, "held-out table": TABLE.with_name("held_out_table.csv")}
"""Two constants of the loop's search were chosen on the first one, none on the other."""
SETTINGS = (("first table", "all year"), ("held-out table", "all year"), ("first table", "half the year"))
CODE = ("perf/year.py", "perf/market.py", "perf/simulated_*.py", "perf/search_table.py", "perf/data/*.csv",
        "include/auto_benchmark/hypotheses/**/*.py", "include/auto_benchmark/promotion/*.py",
        "include/auto_benchmark/stats/*.py")  # fmt: skip


class YearWorld(World):
    """A world in which knobs come in over the year; what has not come in stays as it is at first."""

    def __init__(self, table: Table, seed: int, days: int) -> None:
        super().__init__(table, seed)
        order = list(self.rng.permutation(self.names))
        coming = order[KNOWN_AT_FIRST:]
        self.days_of = {name: days * (i + 1) // (len(coming) + 1) for i, name in enumerate(coming)}
        self.every = self.knobs
        several = ((v, table.means[k]) for k, v in table.scores.items() if len(v) > 1)
        self.residuals = np.array(
            [math.sqrt(len(v) / (len(v) - 1)) * (score - mean) for v, mean in several for score in v]
        )
        self.on(0)

    def on(self, day: int) -> None:
        """Let the knobs in that have come by a day; the others have one value."""
        self.known = {name for name in self.every if self.days_of.get(name, 0) <= day}
        only = {
            n: k.model_copy(update={"choices": [self.base[n]]}) for n, k in self.every.items() if n not in self.known
        }
        self.knobs = {**self.every, **only}


class Policy(Protocol):
    """Somebody who spends trials and changes production."""

    run: Run

    def spend(self, until: int) -> None:
        """Go on until so many trials have been spent in all; what is under way may be finished."""
        ...


class OurLoop(Loop):
    """The loop with trials by the sweep: the gate finishes what it has begun, at the next sweep's cost."""

    def __init__(self, world: World) -> None:
        super().__init__(world, 0, research=False)

    def spend(self, until: int) -> None:
        self.budget = until
        while self.world.trials < until and self.cycle():
            pass

    def _asked(self, look: int, limit: int) -> list[dict]:
        return super()._asked(look, min(limit, self.budget - self.world.trials))

    def _judge(self, params: dict) -> Any:
        kept, self.budget = self.budget, sys.maxsize
        try:
            return super()._judge(params)
        finally:
            self.budget = kept


class Greedy:
    """Changes one knob at random, one trial, and keeps it if it scored higher."""

    def __init__(self, world: YearWorld) -> None:
        self.world, self.run, self.best = world, Run(world.base, world.truth(world.base)), -math.inf

    def spend(self, until: int) -> None:
        while self.world.trials < until:
            params = self.ask()
            score = self.world.search(params)
            self.tell(score)
            if score > self.best:
                if params != self.run.production:
                    self.run.promote(self.world, params, score - self.best)
                self.best = score

    def ask(self) -> dict:
        if self.best == -math.inf:
            return self.world.base
        changes = single_changes(self.world.knobs, self.run.production)
        return changes[int(self.world.rng.integers(len(changes)))]

    def tell(self, score: float) -> None:
        """What a trial scored."""


class Tpe(Greedy):
    """Optuna's TPE with its defaults; the best score seen is production."""

    def __init__(self, world: YearWorld) -> None:
        super().__init__(world)
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(seed=int(world.rng.integers(2**31)))
        self.study = optuna.create_study(direction="maximize", sampler=sampler)

    def ask(self) -> dict:
        if self.best == -math.inf:
            self.study.enqueue_trial({name: self.world.base[name] for name in self.world.known})
        self.trial = self.study.ask()
        knobs = {name: self.world.knobs[name] for name in sorted(self.world.known)}
        chosen = {name: self.trial.suggest_categorical(name, knob.choices) for name, knob in knobs.items()}
        return {**self.world.base, **chosen}

    def tell(self, score: float) -> None:
        self.study.tell(self.trial, score)


POLICIES: dict[str, tuple[Callable[[YearWorld], Policy], bool]] = {
    "loop": (OurLoop, True),
    "loop, no urgent lane": (OurLoop, False),
    "greedy": (Greedy, True),
    "Optuna TPE": (Tpe, True),
}
"""Name -> policy, and whether it has the urgent lane."""


@dataclass(slots=True)
class Sweeps:
    """When trials are there: on fixed days, or earlier in exchange for the next ones."""

    lane: bool
    allowed: int = 0
    taken_ahead: bool = False

    def due(self, day: int, pushed_down: bool) -> bool:
        """Whether a sweep starts on this day."""
        regular = day % SWEEP_DAYS == 0
        starts = (regular and not self.taken_ahead) or (self.lane and pushed_down and not self.taken_ahead)
        self.taken_ahead = (self.taken_ahead and not regular) or (starts and not regular)
        self.allowed += SWEEP_TRIALS * starts
        return starts


def live(market: Market, table: Table, seed: int, policy: str, until: float) -> dict[str, float]:
    """One policy through one year. Ranks are by true scores: what a board would show of our production."""
    world = YearWorld(table, seed, market.days)
    start = world.truth(world.base)
    line = mapping(market, start=start, best=table.best, until=until)
    make, lane = POLICIES[policy]
    who, sweeps = make(world), Sweeps(lane)
    first, rank, to_first, days_pushed = 0, math.inf, None, 0
    for day in range(market.days):
        world.on(day)
        rivals = [line.in_ours(score) for score in market.on(day)]
        world.rival = rivals[0]
        before, rank = rank, _rank(world.truth(who.run.production), rivals)
        days_pushed += rank > before
        if sweeps.due(day, pushed_down=rank > before):
            who.spend(sweeps.allowed)
            rank = _rank(world.truth(who.run.production), rivals)
        if rank == 1:
            first += 1
            to_first = day if to_first is None else to_first
    way = table.best - start
    return {
        "weeks_first": 52 * first / market.days,
        "reached": to_first is not None,
        "days_to_first": market.days if to_first is None else to_first,
        "trials": world.trials,
        "changes": len(who.run.promotions),
        "false": sum(true <= 0 for true, _ in who.run.promotions),
        "gain": (world.truth(who.run.production) - start) / way,
        "claimed": sum(claimed for _, claimed in who.run.promotions if math.isfinite(claimed)) / way,
        "pushed_down": days_pushed,
    }


def _rank(ours: float, rivals: Iterable[float]) -> int:
    """1 is first; who has the same score is not before us. Scores differ by more than the arithmetic's noise."""
    return 1 + sum(rival > ours + 1e-9 for rival in rivals)


def one_world(job: Job) -> tuple[str, dict[str, dict[str, float]]]:
    """Every policy in one world on one board; the board's name in the results first."""
    market, table = markets()[job.board], Table(TABLES[job.table])
    runs = {policy: live(market, table, job.seed, policy, UNTIL[job.until]) for policy in POLICIES}
    return job.name, {policy: {key: round(value, 4) for key, value in run.items()} for policy, run in runs.items()}


@dataclass(frozen=True, slots=True)
class Job:
    """One world of one board."""

    table: str
    until: str
    board: str
    seed: int

    @property
    def name(self) -> str:
        """Of the board among the results."""
        return f"{self.table} | {self.until} | {self.board}"


def summary(boards: dict[str, list[Any]]) -> dict[str, Any]:
    """Means over boards of means over worlds, 95 % intervals over boards, and in pairs how far the loop is ahead."""
    table, means = {}, {}
    for policy in POLICIES:
        rows = [
            {key: fmean(world[policy][key] for world in worlds) for key in worlds[0][policy]}
            for worlds in boards.values()
        ]
        means[policy] = [row["weeks_first"] for row in rows]
        told: dict[str, Any] = {name: round(fmean(row[name] for row in rows), 3) for name in rows[0]}
        told["weeks_first_interval"] = _interval(means[policy])
        if policy != "loop":
            ahead = [a - b for a, b in zip(means["loop"], means[policy], strict=True)]
            told["loop_ahead_weeks"], told["loop_ahead_interval"] = round(fmean(ahead), 3), _interval(ahead)
        table[policy] = told
    fewest = min(map(len, boards.values()))
    return {"boards": len(boards), "worlds_a_board": fewest, "policies": table}


def _interval(values: list[float]) -> list[float] | None:
    if len(set(values)) < 2:
        return None
    return [round(end, 2) for end in t_interval(values)]


def year(worlds: int, workers: int, told: Callable[[list], Iterable] = iter) -> dict[str, Any]:
    """Everything, going on where a run on the same code has stopped; first one world of every board, then the next.

    Args:
        worlds: a board, table and mapping.
        workers: processes.
        told: gets the jobs and gives them back, one by one as they end, to tell the progress.
    """
    code = fingerprint()
    known: dict[str, list[Any]] = {}
    if RESULT.exists():
        kept = json.loads(RESULT.read_text())
        known = kept["by_board"] if kept["code"] == code else {}
    jobs = [Job(*setting, board, seed) for seed in range(worlds) for setting in SETTINGS for board in markets()]
    left = [job for job in jobs if job.seed >= len(known.get(job.name, []))]
    with ProcessPoolExecutor(workers) as pool:
        for (name, runs), _ in zip(pool.map(one_world, left), told(left), strict=True):
            known.setdefault(name, []).append(runs)
            _keep(known, code)
    return _keep(known, code)


def _keep(known: dict[str, list[Any]], code: str) -> dict[str, Any]:
    """Write what there is; the file is whole at any time."""
    summaries = {}
    for table, until in SETTINGS:
        for which in ("untouched boards", "boards tried while writing"):
            rows = dict(_of(known, table, until, tried=which != "untouched boards"))
            if rows:
                summaries[f"{table} | {until} | {which}"] = summary(rows)
    facts = {
        "date": datetime.now(UTC).date().isoformat(), "command": "python perf/year.py", "code": code,
        "sweep_days": SWEEP_DAYS, "sweep_trials": SWEEP_TRIALS,
        "days": {name: market.days for name, market in markets().items()}, "summary": summaries, "by_board": known,
    }  # fmt: skip
    draft = RESULT.with_suffix(".draft")
    draft.write_text(json.dumps(facts, separators=(",", ":")) + "\n")
    draft.replace(RESULT)
    return facts


def _of(known: dict[str, list[Any]], table: str, until: str, *, tried: bool) -> Iterator[tuple[str, Any]]:
    for name, worlds in known.items():
        *rest, board = name.split(" | ")
        if rest == [table, until] and (board in TRIED_WHILE_WRITING) is tried:
            yield board, worlds


def fingerprint() -> str:
    """Hash of every file that decides these numbers."""
    code = hashlib.sha256()
    for path in sorted({path for pattern in CODE for path in ROOT.glob(pattern)}):
        code.update(path.read_bytes())
    return code.hexdigest()[:16]


def main() -> None:
    given = [int(a) for a in sys.argv[1:3]]
    worlds, workers = (*given, *(WORLDS, 1)[len(given) :])
    if not markets():
        raise SystemExit(f"skipped: no histories of boards at {HISTORIES}")

    def told(jobs: list) -> Iterator:
        for done, job in enumerate(jobs, 1):
            yield job
            print(f"{done} of {len(jobs)}: {job.name}, world {job.seed}", flush=True)

    for name, each in year(worlds, workers, told)["summary"].items():
        print(f"\n{name}, {each['boards']} boards")
        for policy, row in each["policies"].items():
            print(f"  {policy:24}", {k: v for k, v in row.items() if k != "reached"})


if __name__ == "__main__":
    main()

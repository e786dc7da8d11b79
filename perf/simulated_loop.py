"""The loop on a simulated world: search rounds, queue, papers, the gate with its looks, fresh seeds; as the flows do."""

from dataclasses import dataclass
from statistics import fmean

from simulated_world import Run, World

from auto_benchmark.experiments.gate.rounds import LEAST_CONTROL
from auto_benchmark.experiments.outcome.promotion import FRESH_SEEDS
from auto_benchmark.experiments.search.rounds import BASE_SEEDS, LIMITS
from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.hypotheses.queue import LARGEST_QUEUE, priority_score
from auto_benchmark.hypotheses.search import choose
from auto_benchmark.hypotheses.search.finding import Finding, Refused, nothing_better
from auto_benchmark.hypotheses.search.proposals import propose
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.search.rounds import MOST_EXPERIMENTS
from auto_benchmark.hypotheses.search.space import single_changes
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Decision, Evidence, Noise, Observation, Verdict
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.research.discount import PastClaim, discount
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.noise import pooled

THRESHOLD = 0.005
CYCLES_A_WEEK = 7


@dataclass(frozen=True)
class Queued:
    """A hypothesis: ``claimed`` is a paper's gain before the discount, None for one of the search."""

    base: dict
    patch: dict
    gain: float
    claimed: float | None = None

    @property
    def priority(self) -> float:
        return priority_score(self.gain, Effort.LOW, Urgency.NORMAL)


class Loop:
    """One loop under way.

    Args:
        world: where.
        budget: total number of trials.
        gated: without it the best proposal goes straight to production.
        joins: without it the search changes one knob at a time.
        research: whether weekly papers put hypotheses into the queue.
    """

    def __init__(
        self, world: World, budget: int, *, gated: bool = True, joins: bool = True, research: bool = True
    ) -> None:
        self.world, self.budget, self.gated, self.joins, self.research = world, budget, gated, joins, research
        self.run, self.base = Run(world.base, world.truth(world.base)), world.base
        self.seen: dict[tuple, tuple[dict, list[float]]] = {}
        self.dead: set[tuple] = set()
        self.groups: dict[tuple, list[float]] = {}
        self.control: list[float] = []
        self.queue: list[Queued] = []
        self.past: list[PastClaim] = []
        self.refused: list[tuple[dict, Refused]] = []
        self.cycles = 0

    @property
    def tried(self) -> list[Tried]:
        return [Tried(params, tuple(scores)) for params, scores in self.seen.values()]

    @property
    def judged(self) -> list[Refused]:
        """What the gate refused on the present base."""
        return [each for base, each in self.refused if base == self.base]

    @property
    def finding(self) -> Finding | None:
        waiting = sum(each.base == self.base for each in self.queue)
        challenging = self.base != self.run.production
        return nothing_better(self.base, self.tried, self.judged, waiting=waiting, of_challenger=challenging)

    def cycle(self) -> bool:
        """One cycle; False when nothing is left to try."""
        before, self.cycles = (self.world.trials, self.base), self.cycles + 1
        if self.research and self.cycles % CYCLES_A_WEEK == 1:
            self._ingest()
        self.queue = [each for each in self.queue if each.base == self.base]
        if not self.queue:
            self._search()
        for _ in range(MOST_EXPERIMENTS):
            if not self.queue or self.world.trials >= self.budget or self._experiment():
                break
        self.run.plateau = choose.has_plateaued(self.base, self.tried, [each.params for each in self.judged])
        return (self.world.trials, self.base) != before and self.world.trials < self.budget

    def _key(self, patch: dict) -> tuple:
        return self.world.table.key({**self.base, **patch})

    def _add(self, queued: Queued) -> None:
        waits = {self._key(each.patch) for each in self.queue}
        if self._key(queued.patch) not in self.dead | waits and queued.priority > 0:
            self.queue = sorted([*self.queue, queued], key=lambda each: -each.priority)[:LARGEST_QUEUE]

    def _ingest(self) -> None:
        for patch, percent in self.world.papers():
            if any(self.base[name] != value for name, value in patch.items()):
                worth = discount(self.past, "papers", "/".join(map(str, patch.items()))).factor
                claimed = min(percent, 20.0) / 100
                self._add(Queued(self.base, patch, claimed * worth, claimed))

    def _search(self) -> None:
        for look, limit in enumerate(LIMITS):
            if self.world.trials >= self.budget:
                break
            have = len(self.seen.get(self._key({}), ({}, []))[1])
            for params in [self.base] * max(0, BASE_SEEDS - have) + self._asked(look, limit):
                if self.world.trials < self.budget:
                    self.seen.setdefault(self.world.table.key(params), (params, []))[1].append(
                        self.world.search(params)
                    )
        for found in propose(self.base, self.tried, limit=LARGEST_QUEUE):
            self._add(Queued(self.base, found.patch, found.estimated_gain))

    def _asked(self, look: int, limit: int) -> list[dict]:
        if not self.joins:
            known = [each.params for each in self.tried]
            return [p for p in single_changes(self.world.knobs, self.base) if p not in known][:limit]
        return choose.ask(
            Strategy.ABLATION, self.world.knobs, self.base, self.tried, known_techniques={}, look=look, limit=limit,
            refused=[each.params for each in self.judged],
        ).params  # fmt: skip

    def _experiment(self) -> bool:
        """Run the best hypothesis; whether it took a role."""
        queued = self.queue.pop(0)
        params = {**self.base, **queued.patch}
        self.dead.add(self.world.table.key(params))
        if not self.gated:
            gain = queued.gain if queued.claimed is None else self._glance(params)
            if gain > 0:
                self.run.promote(self.world, params, gain)
                self.base = params
            return gain > 0
        decision = self._judge(params)
        if decision is None:
            return False
        if queued.claimed and decision.estimate is not None:
            self.past.append(
                PastClaim("papers", "/".join(map(str, queued.patch.items())), queued.claimed, decision.estimate)
            )
        if decision.verdict is Verdict.PROMOTE:
            fresh = [self.world.gate(params) for _ in range(FRESH_SEEDS)]
            self.run.promote(self.world, params, fmean(fresh) - fmean(self.control))
            self.control = []
        elif decision.verdict is not Verdict.CHALLENGER:
            half = (decision.interval[1] - decision.interval[0]) / 2 if decision.interval else None
            self.refused.append((self.base, Refused(params, decision.n, decision.estimate, half)))
            return False
        self.base = params
        return True

    def _glance(self, params: dict) -> float:
        """One search trial against the base's: all that a paper's change is asked for without a gate."""
        for each, least in ((self.base, 1), (params, 1)):
            scores = self.seen.setdefault(self.world.table.key(each), (each, []))[1]
            scores += [self.world.search(each) for _ in range(least - len(scores))]
        mine, home = (self.seen[self.world.table.key(each)][1] for each in (params, self.base))
        return fmean(mine) - fmean(home)

    def _judge(self, params: dict) -> Decision | None:
        candidate: list[float] = []
        decision = None
        for look in LOOKS:
            if self.world.trials >= self.budget:
                break
            candidate += [self.world.gate(params) for _ in range(look - len(candidate))]
            wanted = max(LEAST_CONTROL, look) - len(self.control)
            self.control += [self.world.gate(self.run.production) for _ in range(wanted)]
            self.groups[self.world.table.key(params)] = candidate
            self.groups[self.world.table.key(self.run.production)] = self.control
            noise = pooled([group for group in self.groups.values() if len(group) > 1])
            decision = decide(
                Evidence(
                    metric="m", higher_is_better=True, promotion_threshold=THRESHOLD, leader_score=self.world.rival,
                    noise=Noise(sd=noise.sd, df=noise.df),
                    candidate=[Observation(seed=i, metrics={"m": s}) for i, s in enumerate(candidate)],
                    control=[Observation(seed=i, metrics={"m": s}) for i, s in enumerate(self.control)],
                )
            )  # fmt: skip
            if decision.verdict.is_final:
                break
        return decision


def run_loop(world: World, budget: int, **arms: bool) -> Run:
    """A loop until its budget is spent or nothing is left to try."""
    loop = Loop(world, budget, **arms)
    while loop.cycle():
        pass
    loop.run.challenger = loop.base != loop.run.production
    if (finding := loop.finding) is not None:
        loop.run.said = finding.sentence
    return loop.run

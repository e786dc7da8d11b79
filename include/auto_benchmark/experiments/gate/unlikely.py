"""Is a gate score what the search score suggests? One that is not is held for a person.

A candidate that knows the gate's answers does not gain as much on the search split. The project's own hypotheses show
how scores on the two splits are related: by the line through them, or by their usual difference. Both are asked, since
hypotheses that all failed lie close together, and a line through them says little about a real leap.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import search_results, split_pairs
from auto_benchmark.project.context import Context
from auto_benchmark.project.gate_items import draw_now
from auto_benchmark.registry.solution import Params
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import Interval
from auto_benchmark.stats.prediction import offset_interval, prediction_interval

LEVEL = 0.999


@dataclass(frozen=True, slots=True)
class Expected:
    """A candidate's gate score beside what its score on the search split predicts.

    Attributes:
        pairs: other hypotheses of the project that the prediction rests on.
        interval: 99.9 % for the gate score, from the lower end to the upper one of both predictions; None where the pairs
            do not suffice, and ``why_not`` says why.
    """

    metric: str
    searched: float | None
    gate: float | None
    pairs: int
    interval: Interval | None
    why_not: str = ""

    @property
    def is_unlikely(self) -> bool:
        """Whether a person should look before anything follows from the score."""
        if self.interval is None or self.gate is None:
            return False
        return not self.interval[0] <= self.gate <= self.interval[1]

    @property
    def sentence(self) -> str:
        """What was compared, for people."""
        if self.interval is None or self.gate is None or self.searched is None:
            return f"whether its gate score suits its search score is not checked yet: {self.why_not}"
        low, high = self.interval
        where = "outside" if self.is_unlikely else "inside"
        return (
            f"gate {self.metric} {self.gate:.4f} lies {where} the 99.9 % prediction interval {low:.4f} to {high:.4f} "
            f"that {self.pairs} earlier pairs give for a search {self.metric} of {self.searched:.4f}"
        )


def expected(ctx: Context, session: Session, experiment: Experiment, metric: str) -> Expected:
    """Compare a candidate's gate score with the prediction of the project's other hypotheses.

    Both scores of a pair are means over seeds. Where the search has tried the candidate, the pairs are of others that
    it has tried, on the whole search split; otherwise those of the fast validation, which every hypothesis has.
    """
    solution = experiment.plan.solution
    versions = {ctx.bench.ref_of(draw).version for draw in range(1, draw_now(ctx, session) + 1)}
    found = split_pairs.scores(
        session=session, project=ctx.project, solution=solution, versions=versions, metric=metric
    )
    tried = search_results.by_config(
        session=session, project=ctx.project, solution=solution, tree=experiment.plan.tree, benchmark=ctx.bench.ref,
        metric=metric,
    )  # fmt: skip
    searched = {_key(each.params): sum(each.scores) / len(each.scores) for each in tried if each.scores}
    mine = next((each for each in found if each.experiment_id == experiment.id), None)
    if mine is None or mine.gate is None:
        return Expected(metric, None, None, 0, None, "the candidate was not measured on both splits")
    by_search = _key(mine.params) in searched

    def on_search(each: split_pairs.SplitScores) -> float | None:
        return searched.get(_key(each.params)) if by_search else each.validated

    at = on_search(mine)
    others = (
        each for each in found
        if each.counts and each.experiment_id != experiment.id and (each.tree == mine.tree or not by_search)
    )  # fmt: skip
    pairs = [(x, each.gate) for each in others if (x := on_search(each)) is not None and each.gate is not None]
    if at is None:
        return Expected(metric, None, mine.gate, len(pairs), None, "the candidate has no score on the search split")
    try:
        xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
        line, offset = prediction_interval(xs, ys, at, LEVEL), offset_interval(xs, ys, at, LEVEL)
    except NotApplicableError as error:
        return Expected(
            metric,
            at,
            mine.gate,
            len(pairs),
            None,
            f"{len(pairs)} earlier hypotheses have both scores ({error})",
        )
    return Expected(metric, at, mine.gate, len(pairs), (min(line[0], offset[0]), max(line[1], offset[1])))


def _key(params: Params) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(params.items()))

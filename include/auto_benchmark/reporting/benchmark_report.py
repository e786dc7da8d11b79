"""``BENCHMARK_REPORT.md``: what a sweep found, for a reader who did not see it run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from auto_benchmark.contract.measured import MetricSource, source_of
from auto_benchmark.grid.comparison import BaselineComparison, ComparisonVerdict, smallest_meaningful
from auto_benchmark.grid.outcome import RunOutcome, split_uses
from auto_benchmark.grid.spec import SweepSpec
from auto_benchmark.grid.table import RankedRow, Ranking
from auto_benchmark.reporting import figures
from auto_benchmark.reporting.render import Safe, markdown, render

SAME_EVERYWHERE = ("cpu", "machine", "python", "runner", "code", "lock")


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """Everything that the report says.

    Attributes:
        rankings: the one that counts first; ``comparisons`` belong to them by position.
        outcomes: finished runs in the order in which they ended.
        planned: runs of the spec.
        configurations: name -> complete parameters as YAML.
        command: that makes the report again.
        checksums: task -> sha256 of its split.
        not_isolated: what the runner does not keep a trial from doing.
        exports: environment variables that the command needs.
        changes: configuration -> ``knob: value`` for everything that differs from the baseline.
    """

    spec: SweepSpec
    task: str
    date: date
    rankings: Sequence[Ranking]
    comparisons: Sequence[Sequence[BaselineComparison]]
    outcomes: Sequence[RunOutcome]
    planned: int
    configurations: Mapping[str, str]
    solution: str
    command: str
    spec_copy: str
    plots: tuple[str, str]
    checksums: Mapping[str, str | None]
    not_isolated: Sequence[str] = ()
    exports: Sequence[tuple[str, str]] = ()
    changes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def datasets(self) -> str:
        """``memory, version 1, split gate`` and so on."""
        return "; ".join(f"{d.name}, version {d.version}, split {d.split}" for d in self.spec.datasets)

    @property
    def hardware(self) -> str:
        """As declared, and as found by the runs."""
        given = self.spec.hardware
        declared = given if isinstance(given, str) else ", ".join(f"{k}: {v}" for k, v in given.items())
        facts = [o.fingerprint for o in self.outcomes if "cpu" in o.fingerprint]
        found = "; ".join(dict.fromkeys(f"{f['cpu']} ({f.get('machine', 'unknown machine')})" for f in facts))
        return " — found: ".join(filter(None, [declared, found])) or "not described"

    @property
    def environments(self) -> list[tuple[str, list[str]]]:
        """Facts of the environment with every value that finished runs saw."""
        done = [o.fingerprint for o in self.outcomes if o.is_done]
        found = [(name, list(dict.fromkeys(f[name] for f in done if name in f))) for name in SAME_EVERYWHERE]
        return [(name, values) for name, values in found if values]

    @property
    def is_self_reported(self) -> bool:
        """Whether some score comes from the trial itself."""
        return any(o.is_done and o.scored_by != "scorer" for o in self.outcomes)

    @property
    def vouched_for_by_trials(self) -> list[str]:
        """Metrics of the table that some run reported of itself: neither scored nor measured from outside."""
        shown = self.spec.metrics
        return [
            name
            for name in (shown.primary, *shown.secondary)
            if any(
                o.scored is not None and name in o.metrics and source_of(name, o.scored) is MetricSource.SELF_REPORTED
                for o in self.outcomes
            )
        ]

    @property
    def split_uses(self) -> list[dict[str, Any]]:
        """How often each split's answers were asked."""
        return split_uses(self.outcomes)

    @property
    def failed(self) -> list[RunOutcome]:
        """Runs without a score."""
        return [o for o in self.outcomes if not o.is_done]

    @property
    def recovered(self) -> list[RunOutcome]:
        """Runs that gave a score after a failed attempt."""
        return [o for o in self.outcomes if o.is_done and o.failed_attempts]

    @property
    def waiting(self) -> int:
        """Runs that did not end."""
        return self.planned - len(self.outcomes)


def render_report(report: BenchmarkReport) -> str:
    """The report as Markdown."""
    groups = [
        {
            "title": ranking.title,
            "ranking": ranking,
            "comparisons": comparisons,
            "meaningful": smallest_meaningful(report.spec, ranking.row(report.spec.baseline_name)),
        }
        for ranking, comparisons in zip(report.rankings, report.comparisons, strict=True)
    ]
    return render(
        "benchmark_report.md.j2",
        report=report,
        groups=groups,
        summary=[Safe(sentence) for sentence in summary(report)],
        slices=_slices(report),
        cells=_cells(report),
        show=figures,
        flags=_flags,
        fenced=_fenced,
        distinct=_distinct,
        exports="".join(f"export {name}={value}\n" for name, value in report.exports),
    )


def summary(report: BenchmarkReport) -> list[str]:
    """One to three sentences: who leads, against the baseline, and what did not work."""
    sentences = []
    main, comparisons = report.rankings[0], report.comparisons[0]
    metric, baseline = markdown(report.spec.metrics.primary), report.spec.baseline_name
    best = main.rows[0]
    if best.primary is None:
        sentences.append("No configuration gave a score.")
    else:
        tied = [row.name for row in main.rows if row.rank == 1]
        who = " and ".join(f"**{markdown(name)}**" for name in tied)
        over = f"over {best.primary.seeds} seed" + "s" * (best.primary.seeds != 1)
        place = f" on {markdown(main.title)}" if len(report.rankings) > 1 else ""
        verb = "rank first together" if len(tied) > 1 else "ranks first"
        sentences.append(f"{who} {verb}{place} with {metric} {figures.mean_and_spread(best.primary)} {over}.")
        against = next((c for c in comparisons if c.name == best.name), None)
        if best.name == baseline:
            sentences.append(_nothing_better(comparisons))
        elif against is not None:
            sentences.append(_against_baseline(against, baseline))
    problems = [f"{len(report.failed)} of {report.planned} runs failed{_which(report)}"] if report.failed else []
    if report.waiting:
        problems.append(f"{report.waiting} were not run")
    if problems:
        sentences.append(f"{' and '.join(problems)}: see the failure log.")
    return sentences


def _which(report: BenchmarkReport) -> str:
    """`` (all of broken, 1 of shaky)``."""
    lost = Counter(o.run.configuration.name for o in report.failed)
    each = report.planned // len(report.spec.configurations)
    named = [f"{'all' if count == each else count} of {markdown(name)}" for name, count in lost.items()]
    return f" ({', '.join(named)})"


def _nothing_better(comparisons: Sequence[BaselineComparison]) -> str:
    worse = [markdown(c.name) for c in comparisons if c.verdict is ComparisonVerdict.WORSE]
    found = f"; demonstrably worse: {', '.join(worse)}" if worse else ""
    return f"It is the baseline: no configuration scored higher on average{found}."


def _against_baseline(c: BaselineComparison, baseline: str) -> str:
    if c.difference is None:
        return f"It cannot be compared with {_named(baseline)}: {markdown(c.reason)}."
    bounds = f", 95 % interval {figures.interval(c.interval, signed=True)}" if c.interval else ""
    size = "practically meaningful" if c.is_meaningful else "too small to matter in practice"
    verdict = {
        ComparisonVerdict.BETTER: "significantly better",
        ComparisonVerdict.BETTER_HERE: "significantly better on these test items, not beyond them",
        ComparisonVerdict.WORSE: "significantly worse",
        ComparisonVerdict.INCONCLUSIVE: "not distinguishable with this many seeds",
        ComparisonVerdict.TOO_FEW_SEEDS: "with too few seeds for a verdict",
        ComparisonVerdict.NO_VARIANCE: "without any variance between seeds, so no test applies",
    }.get(c.verdict, str(c.verdict))
    p = f" (Holm p {figures.probability(c.p_holm)})" if c.p_holm is not None else ""
    return (
        f"Its difference to {_named(baseline)} is {c.difference:+.4g}{bounds}: "
        f"{verdict}{p}; the difference is {size}."
    )


def _named(baseline: str) -> str:
    return "the baseline" if baseline == "baseline" else f"the baseline, {markdown(baseline)},"


def _flags(row: RankedRow) -> Safe:
    found = ["high variance"] if row.is_unstable else []
    if row.failed:
        found.append(f"{row.failed} failed")
    if row.waiting:
        found.append(f"{row.waiting} not run")
    return Safe(", ".join(found) or "—")


def _distinct(outcome: RunOutcome) -> list[tuple[str, str, int, str]]:
    """Failure, message, how often, and the last log, once for all attempts that failed alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    for attempt in outcome.failed_attempts:
        alike.setdefault((attempt.failure, attempt.message), []).append(attempt.log)
    return [(failure, message, len(logs), logs[-1]) for (failure, message), logs in alike.items()]


def _cells(report: BenchmarkReport) -> dict[tuple[str, str, int], str]:
    """What the table of all seeds shows for a configuration, task and seed."""
    cells = {
        (c.name, d.task, seed): "not run"
        for c in report.spec.configurations
        for d in report.spec.datasets
        for seed in report.spec.seeds
    }
    for o in report.outcomes:
        score = figures.plain(o.metrics[report.spec.metrics.primary]) if o.is_done else "failed"
        cells[o.run.configuration.name, o.run.dataset.task, o.run.seed] = score
    return cells


def _slices(report: BenchmarkReport) -> list[dict[str, Any]]:
    """Per task: slice names, and per configuration the primary metric on each slice, with the widest gap."""
    primary = report.spec.metrics.primary
    found: list[dict[str, Any]] = []
    for dataset in report.spec.datasets:
        table: dict[str, dict[str, list[float]]] = {}
        for o in report.outcomes:
            if o.run.dataset.task == dataset.task:
                for name, metrics in o.slices.items():
                    if primary in metrics:
                        table.setdefault(o.run.configuration.name, {}).setdefault(name, []).append(metrics[primary])
        names = sorted({name for row in table.values() for name in row})
        if len(names) < 2:
            continue
        rows = []
        for configuration in (c.name for c in report.spec.configurations if c.name in table):
            means = {n: sum(v) / len(v) for n, v in table[configuration].items()}
            rows.append((configuration, [means.get(n) for n in names], max(means.values()) - min(means.values())))
        found.append({"task": dataset.task, "names": names, "rows": rows})
    return found


def _fenced(text: str, language: str = "") -> Safe:
    """A code block that its own content cannot close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return Safe(f"{fence}{language}\n{text.rstrip()}\n{fence}")

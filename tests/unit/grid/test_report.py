"""The report as text: hostile names stay text, odd sweeps stay readable."""

import re
from dataclasses import replace
from datetime import date

import pytest

from auto_benchmark.grid.comparison import compare
from auto_benchmark.grid.table import Summary, rankings
from auto_benchmark.reporting import figures
from auto_benchmark.reporting.benchmark_report import BenchmarkReport, render_report
from auto_benchmark.reporting.plots import score_intervals, scores_over_time

BASE = [0.800, 0.804, 0.797, 0.801, 0.803]
BETTER = [0.851, 0.853, 0.849, 0.852, 0.850]


@pytest.fixture
def report(sweep):
    def build(scores, **options):
        spec, outcomes = sweep(scores, **options)
        found = rankings(spec, outcomes)
        return BenchmarkReport(
            spec=spec, task="t", date=date(2026, 3, 1), rankings=found, outcomes=outcomes, planned=len(outcomes),
            comparisons=[compare(spec, ranking, outcomes) for ranking in found], solution="x", command="run",
            configurations={c.name: "k: '```'\n" for c in spec.configurations}, spec_copy="s.yaml",
            plots=("a.png", "b.png"), checksums={"t/gate": None},
        )  # fmt: skip

    return build


def test_hostile_names_are_text(report):
    name = "a|b `code` <img> $x_1$ [l](u)"
    built = report({"baseline": {"t": BASE}, name: {"t": BETTER}})
    text = render_report(built)
    assert r"a\|b \`code\` \<img\> $x_1$ \[l\](u)" in text
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| 1 |")}
    header = next(line for line in text.splitlines() if line.startswith("| Rank"))
    assert widths == {header.count("|")}
    assert "````yaml\nk: '```'\n````" in text
    for image in (score_intervals(built.rankings, "m"), scores_over_time(built.outcomes, built.spec.metrics)):
        assert image.startswith(b"\x89PNG")


def test_the_summary_says_what_may_be_said(report):
    better = render_report(report({"baseline": {"t": BASE}, "b": {"t": BETTER}}))
    assert "**b** ranks first with m 0.8510 ± 0.0016 over 5 seeds." in better
    assert "significantly better" in better and "practically meaningful" in better
    few = render_report(report({"baseline": {"t": BASE[:3]}, "b": {"t": BETTER[:3]}}))
    assert "with too few seeds for a verdict" in few
    assert "significantly better" not in few
    own = render_report(report({"baseline": {"t": BETTER}, "b": {"t": BASE}}))
    assert "It is the baseline: no configuration scored higher on average; demonstrably worse: b." in own
    none = render_report(report({"baseline": {"t": [None] * 5}, "b": {"t": [None] * 5}}))
    assert "No configuration gave a score. 10 of 10 runs failed" in none


def test_one_configuration_and_one_seed_are_a_report_too(report):
    text = render_report(report({"baseline": {"t": [0.5]}}))
    assert "There is nothing to compare" in text
    assert "0.5 (one seed)" in text
    assert "No interval for baseline: scores: 1 given, at least 2 needed." in text


def test_all_seeds_stand_in_the_report_failed_ones_too(report):
    text = render_report(report({"baseline": {"t": [0.81, None, 0.12]}}))
    assert "| baseline | t/gate | 0.81 | failed | 0.12 |" in text


def test_numbers_show_as_much_as_their_noise_allows():
    assert figures.mean_and_spread(Summary(142.345, 1.234, 1, 2, 3)) == "142.3 ± 1.2"
    assert figures.mean_and_spread(Summary(0.82341, 0.00412, 1, 2, 3)) == "0.8234 ± 0.0041"
    assert figures.mean_and_spread(Summary(0.5, 0.0, 1, 2, 3)) == "0.5 ± 0"
    assert figures.interval((-0.0123, 0.0456), signed=True) == "[-0.012, +0.046]"
    assert [figures.probability(p) for p in (None, 1e-9, 0.0312)] == ["—", "< 0.0001", "0.031"]


def test_what_only_the_runs_vouch_for_is_named_so(report):
    built = report({"baseline": {"t": BASE}}, secondary=["ms", "wall_s"])
    assert "Self-reported" not in render_report(built), "nobody knows who gave which"
    for scored, named in ((frozenset({"m"}), "ms"), (frozenset({"m", "ms"}), None), (frozenset(), "m, ms")):
        outcomes = [replace(o, scored=scored, metrics={**o.metrics, "wall_s": 1.0}) for o in built.outcomes]
        text = render_report(replace(built, outcomes=outcomes))
        line = f"Self-reported, neither scored nor measured from outside: {named}."
        assert (line in text) if named else ("Self-reported" not in text)

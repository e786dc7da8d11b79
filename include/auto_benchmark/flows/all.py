"""Every flow, in the order in which one cycle of the loop needs them."""

from __future__ import annotations

from auto_benchmark.flows import (
    benchmark_construction,
    benchmark_sweep,
    experiment_sweep,
    experiment_sweep_urgent,
    lab_run,
    leaderboard_scrape,
    production_defense,
    report_digest,
    research_ingest,
)

FLOWS = (
    leaderboard_scrape.FLOW,
    production_defense.FLOW,
    research_ingest.FLOW,
    experiment_sweep.FLOW,
    experiment_sweep_urgent.FLOW,
    report_digest.FLOW,
    benchmark_sweep.FLOW,
    lab_run.FLOW,
    benchmark_construction.FLOW,
)

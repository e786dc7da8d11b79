"""A registry with two boards that nothing is fetched from."""

from __future__ import annotations

from auto_benchmark.registry.competitive_registry import CompetitiveRegistry


def small_registry() -> CompetitiveRegistry:
    """A project with two boards."""
    boards = [
        {"name": "MemoryBench", "primary_metric": "accuracy"},
        {"name": "LongContextEval", "primary_metric": "f1"},
    ]
    declared = [{**board, "scrape_method": "manual", "higher_is_better": True} for board in boards]
    ours = {"name": "OurSystem", "aliases": ["our-system-v2"], "solution": "memory_retrieval"}
    return CompetitiveRegistry.model_validate(
        {"domain": "memory", "target_leaderboards": declared, "our_solution": ours}
    )

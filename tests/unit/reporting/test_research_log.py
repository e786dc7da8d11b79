"""``research_log.md`` in the mission's format, whatever papers say."""

from __future__ import annotations

from datetime import date

from auto_benchmark.reporting.research_log import render_research_log
from auto_benchmark.research.gains import Gain, GainUnit
from auto_benchmark.research.log import LoggedPaper, LoggedTechnique, Skipped, cited, gain_text

ENTRY = LoggedPaper(
    date(2026, 2, 10),
    "HyperMemory: Hierarchical State Spaces for Long-Context Recall",
    "arXiv:2602.01234",
    None,
    ("MemoryBench",),
    ("+4.2% on MemoryBench vs prior SOTA",),
    (
        LoggedTechnique("Hierarchical state compression", "Medium", "High", True),
        LoggedTechnique("Learning-rate schedule", "Low", "Low", False),
    ),
    "Generate hypothesis for Hierarchical state compression — schedule experiment.",
)


def test_the_format() -> None:
    assert render_research_log([ENTRY]).rstrip() == (
        "# Research log\n\n"
        '## [2026-02-10] Paper: "HyperMemory: Hierarchical State Spaces for Long-Context Recall"\n'
        "**Source:** arXiv:2602.01234\n"
        "**Relevant leaderboard:** MemoryBench\n"
        "**Reported gain:** +4.2% on MemoryBench vs prior SOTA\n"
        "**Techniques extracted:**\n"
        "- Hierarchical state compression (effort: Medium, impact: High) ← PRIORITIZED\n"
        "- Learning-rate schedule (effort: Low, impact: Low)\n"
        "**Action:** Generate hypothesis for Hierarchical state compression — schedule experiment."
    )


def test_nothing_read_yet() -> None:
    assert "No paper was read yet" in render_research_log([])


def test_markup_in_titles_and_reasons_stays_text() -> None:
    evil = "# x\n## [2026-01-01] Paper: <script>alert(1)</script> [a](javascript:b) *c* `d` | e"
    text = render_research_log([], [Skipped(date(2026, 1, 1), evil, "blog:1", evil)])
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# Research log", "## Not relevant"]
    assert "<script>" not in text.replace("\\<script\\>", "")


def test_gains_in_words() -> None:
    assert (
        gain_text(Gain(4.2, GainUnit.PERCENT, None, "MemoryBench", "prior SOTA", ""))
        == "+4.2% on MemoryBench vs prior SOTA"
    )
    assert gain_text(Gain(3.0, GainUnit.FOLD, "speed", None, None, "")) == "3x in speed"
    assert gain_text(Gain(1.5, GainUnit.POINTS, "F1", None, None, "")) == "+1.5 points in F1"
    assert cited("arxiv:2602.01234") == "arXiv:2602.01234"

"""The reports exactly as people get them: on a usual week, when nothing happened, and when everything did."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.golden import assert_golden

from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.entry import Entry
from auto_benchmark.leaderboards.gap_matrix import BoardState, gap_matrix
from auto_benchmark.promotion.decision import Criterion, Decision, Verdict
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.reporting.digest import Digest, Position, facts_of, render_digest
from auto_benchmark.reporting.html import page
from auto_benchmark.reporting.research_log import render_research_log
from auto_benchmark.reporting.technical_log import (
    Case,
    ExperimentEntry,
    FailedTrial,
    LogLine,
    PaperLine,
    RankLine,
    SpendingLine,
    Statistics,
    TechnicalLog,
    TrialLine,
    VerdictLine,
    render_technical_log,
)
from auto_benchmark.research.log import LogEntry, LoggedTechnique, Skipped

GOLDEN = Path(__file__).parent / "golden"
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EVIL = "<script>alert(1)</script> | **x** [y](javascript:z) `code` # H"
BRIEF = f"## What is wanted {EVIL}\nA decision.\n\n- improvement: passed\n- <b>bold</b>\n===\n{EVIL}"
COMMANDS = ["auto-benchmark approve H-020", "auto-benchmark reject '`x` <b>'"]
POSITIONS = [
    Position("MemoryBench", 1, 0.871, 0.010),
    Position("LongContextEval", 2, 0.812, -0.006),
    Position("NewBoard", None, 0.4, None, is_stale=True),
]


def digest(**changed):
    usual = {
        "week": date(2026, 2, 23), "positions": POSITIONS, "changes": ["Promoted H-012: +0.021 on 5 seeds"],
        "next_actions": ["Experiment H-014 (Re-rank) queued for LongContextEval — est. gain +0.010"],
        "completed": 6, "failed_validation": 2, "promoted": 1,
    }  # fmt: skip
    return Digest(**{**usual, **changed})


DIGESTS = {
    "digest": digest(),
    "digest_first_week": digest(
        positions=[], changes=[], next_actions=[], completed=0, failed_validation=0, promoted=0
    ),
    "digest_quiet_week": digest(changes=[], next_actions=[], completed=0, failed_validation=0, promoted=0),
    "digest_busy_week": digest(
        changes=[f"MemoryBench: Rival {n} {EVIL} improved" for n in range(40)],
        next_actions=[f"Experiment H-{n:03d} queued" for n in range(10)],
        completed=31, failed_validation=9, promoted=3, escalations=["H-020 waits for approval", EVIL],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DIGESTS)
def test_digests(name):
    assert_golden(render_digest(DIGESTS[name]), GOLDEN / f"{name}.md")


def test_the_stored_facts_say_what_the_digest_says():
    text = render_digest(DIGESTS["digest"])
    facts = facts_of(DIGESTS["digest"])
    for line in facts["lines"][:2]:
        assert f"- {line}" in text.splitlines()
    assert facts["next_actions"] == list(DIGESTS["digest"].next_actions)


def hypothesis(number, title, status):
    change = Implementation(
        change="re-rank", effort=Effort("Low"), estimated_gain=0.01, base={"k": 5}, patch={"rerank": "`on`"}
    )
    return Hypothesis(
        id=f"H-{number:03d}", title=title, claim=f"It should help {EVIL}", source="arxiv:2602.01234",
        target_leaderboards=["MemoryBench"], implementation=change, priority_score=10, urgency=Urgency.URGENT,
        status=status, config_hash=f"c{number}",
    )  # fmt: skip


def technical_log():
    rows = [
        Criterion(name="improvement", value=0.021, threshold=0.005, passed=True, reason="larger than the threshold"),
        Criterion(name="no_regression", value=0.2, threshold=0.05, passed=True, reason=f"latency {EVIL}"),
    ]
    decision = Decision(
        verdict=Verdict.PROMOTE, reason="+0.021", n=5, estimate=0.021, interval=(0.012, 0.03), criteria=rows
    )
    won = ExperimentEntry(
        hypothesis(12, f"Re-rank {EVIL}", HypothesisStatus.PROMOTED), "promote", "+0.021 on 5 seeds", decision,
        [
            TrialLine(71, "candidate", "full", 1, "done", {"accuracy": 0.871, "latency_ms": 2.04}, 2.91),
            TrialLine(72, "candidate", "full", 2, "oom_host", {}, 0.4),
        ],
        decision_id=9, plot="reports/plots/H-012-9.png",
    )  # fmt: skip
    lost = ExperimentEntry(
        hypothesis(11, "Forget more", HypothesisStatus.ARCHIVED), "futile", "cannot reach the threshold", None, []
    )
    lines = [
        LogLine(NOW - timedelta(hours=2), "promotion", "H-012", "+0.021 on 5 seeds; now MemoryBench 0.8710"),
        LogLine(NOW - timedelta(hours=9), "rejection", "H-011", f"futile {EVIL}"),
    ]
    return TechnicalLog(
        written_at=NOW, positions=POSITIONS, experiments=[won, lost],
        queue=[hypothesis(14, "Next", HypothesisStatus.QUEUED)], lines=lines,
        statistics=Statistics(
            "1 of 40 (2.5 %, 95 % interval 0.1 % to 13.2 %)", 0.031, {"memory@1/gate": {"candidate": 12, "control": 8}}
        ),
        summary=["1 promoted", "1 cases wait for a person"],
        cases=[
            Case(NOW - timedelta(days=1), f"H-020 waits for approval {EVIL}", BRIEF, COMMANDS)
        ],
        ranks={
            "MemoryBench": [
                RankLine(NOW, 1, 0.871, "OurSystem", 0.871), RankLine(NOW - timedelta(days=3), None, None, EVIL, 0.861),
            ]
        },
        verdicts=[
            VerdictLine(lines[0], f"Re-rank {EVIL}", "+0.0210 (95 % interval +0.0120 to +0.0300) on 5 seeds"),
            VerdictLine(lines[1], "Forget more", "no estimate from 1 seeds", ["improvement", "projection"]),
        ],
        spending=[SpendingLine("last 24 hours", "18 of 400", "0.10 of 24", "0.01 of 50 USD")],
        failed=[FailedTrial(72, "H-012", "oom_host", f"killed at 512 MB {EVIL}", 2)],
        others=[(TrialLine(70, "search", "fast", 1, "done", {"accuracy": 0.8}, 2.1), '{"k": 7, "x": "`|"}')],
        screening="2 papers screened, 1 concern us: 1 hypothesis.",
        papers=[PaperLine(f"A paper {EVIL}", "arXiv:2602.01234", ["re-ranking"], "hypothesis: H-012")],
        other_papers=[PaperLine("About weather", "arXiv:2602.00001", [], "names no technique of ours")],
        plots={"MemoryBench": "reports/plots/MemoryBench-1.png"},
    )  # fmt: skip


EMPTY = TechnicalLog(written_at=NOW, positions=[], experiments=[], queue=[], lines=[])


def test_technical_log():
    assert_golden(render_technical_log(technical_log()), GOLDEN / "technical_log.md")


def test_technical_log_before_anything_happened():
    assert_golden(render_technical_log(EMPTY), GOLDEN / "technical_log_empty.md")


def test_the_html_file_needs_nothing_else_and_runs_nothing():
    text = page("Technical Log", render_technical_log(technical_log()), {"reports/plots/H-012-9.png": b"PNG"})
    assert_golden(text, GOLDEN / "technical_log.html")
    assert "<script" not in text
    assert "javascript:" not in text.replace("(javascript:z)", "")
    assert 'src="data:image/png;base64,UE5H"' in text
    assert 'src="reports' not in text
    assert '<a id="h-012"></a>' in text
    assert '<a href="#h-012">H-012</a>' in text
    assert text.count("<details>") == text.count("</details>") == 7
    assert "<b>" not in text


def test_delta_report():
    old = [("OurSystem", 0.823), ("CompetitorA", 0.819), ("CompetitorB", 0.80)]
    new = [("CompetitorA", 0.847), ("NewEntrant", 0.83), ("OurSystem", 0.823), ("CompetitorB", 0.80)]
    before, now = ([Entry(rank=i + 1, system=s, score=v) for i, (s, v) in enumerate(rows)] for rows in (old, new))
    delta = compare(before, now, board="MemoryBench", higher_is_better=True, ours=["OurSystem"])
    matrix = gap_matrix([BoardState("MemoryBench", now, True, items=2000)], ["OurSystem"])
    assert_golden("\n".join(delta.alerts) + "\n\n" + matrix.markdown(), GOLDEN / "delta_report.md")


def test_research_log():
    entry = LogEntry(
        date(2026, 2, 10), f"HyperMemory {EVIL}", "arXiv:2602.01234", "https://example.org/abs/2602.01234",
        ("MemoryBench",), ("+4.2% on MemoryBench vs prior SOTA",),
        (LoggedTechnique("Hierarchical compression", "Medium", "High", True),),
        "Generate hypothesis.", "H-012 promoted",
    )  # fmt: skip
    skipped = Skipped(date(2026, 2, 9), "A paper about weather", "arXiv:2602.00001", "names no technique of ours")
    assert_golden(render_research_log([entry], [skipped]), GOLDEN / "research_log.md")

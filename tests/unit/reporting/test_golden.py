"""The reports exactly as people get them: on a usual week, when nothing happened, and when everything did."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.golden import assert_golden

from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.gap_matrix import BoardState, gap_matrix
from auto_benchmark.promotion.schema import Criterion, Decision, Verdict
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.reporting.criteria_table import failure
from auto_benchmark.reporting.html import page
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.research_log import render_research_log
from auto_benchmark.reporting.technical_log import (
    ExperimentEntry,
    FailedTrial,
    Holder,
    LogLine,
    OpenQuestion,
    PaperLine,
    RankLine,
    SpendingLine,
    Statistics,
    TechnicalLog,
    TrialLine,
    VerdictLine,
    render_technical_log,
)
from auto_benchmark.reporting.words import shell_word
from auto_benchmark.research.log import LoggedPaper, LoggedTechnique, Skipped
from auto_benchmark.tables.entry import Entry
from auto_benchmark.telling.digest import facts_of, in_slack, render_digest

GOLDEN = Path(__file__).parent / "golden"
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EVIL = "<script>alert(1)</script> | **x** [y](javascript:z) `code` # H"
BRIEF = f"## What is wanted {EVIL}\nA decision.\n\n- improvement: passed\n- <b>bold</b>\n===\n{EVIL}"
POSITIONS = [
    Position("MemoryBench", 1, 0.871, 0.010),
    Position("LongContextEval", 2, 0.812, -0.006),
    Position("NewBoard", None, 0.4, None, is_stale=True),
]


def digest(**changed):
    usual = {
        "positions": POSITIONS, "changes": ["Promoted H-012: +0.021 on 5 seeds"],
        "next_actions": ["Experiment H-014 (Re-rank) queued for LongContextEval — est. gain +0.010"],
        "completed": 6, "failed_validation": 2, "promoted": 1,
    }  # fmt: skip
    return facts_of(**{**usual, **changed})


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
    assert_golden(render_digest(date(2026, 2, 23), DIGESTS[name]), GOLDEN / f"{name}.md")


def test_slack_says_what_the_digest_says():
    text = render_digest(date(2026, 2, 23), DIGESTS["digest"]).splitlines()
    told = dict(in_slack(DIGESTS["digest"]))
    assert all(f"- {line}" in text for line in told["Competitive position"])
    assert told["Next actions (automated)"] == DIGESTS["digest"]["next_actions"]
    assert told["Experiments run this week"] == ["6 completed, 2 failed fast validation, 1 promoted"]
    quiet = dict(in_slack(DIGESTS["digest_first_week"]))
    assert list(quiet.values()) == [
        ["No board has been read yet"], ["Nothing changed"], ["Nothing is queued"],
        ["0 completed, 0 failed fast validation, 0 promoted"],
    ]  # fmt: skip


def hypothesis(number, title, status, patch, source="fine search + gap analysis"):
    change = Implementation(
        change=f"change {', '.join(patch)}", effort=Effort("Low"), estimated_gain=0.01, base={"k": 5}, patch=patch
    )
    return Hypothesis(
        id=f"H-{number:03d}", title=title, claim=f"It should help {EVIL}", source=source,
        target_leaderboards=["MemoryBench"], implementation=change, priority_score=10, urgency=Urgency.URGENT,
        status=status, config_hash=f"c{number}",
    )  # fmt: skip


def decision(verdict, reason, n, estimate, interval, rows):
    """``rows``: criterion -> value, threshold, whether it holds, why."""
    criteria = [
        Criterion(name=name, value=value, threshold=threshold, passed=passed, reason=why)
        for name, (value, threshold, passed, why) in rows.items()
    ]
    return Decision(verdict=verdict, reason=reason, n=n, estimate=estimate, interval=interval, criteria=criteria)


ALLOWED = "within the allowed loss of 10.0 %"
WON = decision(
    Verdict.PROMOTE, "all five criteria hold after 5 seeds", 5, 0.021, (0.012, 0.03),
    {
        "improvement": (0.021, 0.005, True, "+0.021 (95 % interval +0.012 to +0.03), wanted at least +0.005"),
        "significance": (0.0008, 0.05, True, "p = 0.0008"),
        "no_regression": (0.012, 0.1, True, f"latency_ms: worse by 0.8 %, 95 % bound worse by 1.2 %, {ALLOWED} {EVIL}"),
        "reproducibility": (0.00276, 0.005, True, "5 seeds, std 0.00241 is 0.28 % of the mean"),
        "projection": (0.9996, 0.5, True, "P(#1) = 1.00: 0.8734 expected, the leader has 0.861"),
    },
)  # fmt: skip
LOST = decision(
    Verdict.FUTILE, f"stopped after 1 seed {EVIL}", 1, -0.015, (-0.029, -0.001),
    {
        "improvement": (-0.015, 0.005, False, "-0.015 (95 % interval -0.029 to -0.001), wanted at least +0.005"),
        "significance": (1.0, 0.05, False, "p = 1"),
        "no_regression": (-0.002, 0.1, True, f"latency_ms: better by 1.0 %, 95 % bound better by 0.2 %, {ALLOWED}"),
        "reproducibility": (None, 0.005, False, "1 of at least 3 seeds"),
        "projection": (0.04, 0.5, False, "P(#1) = 0.04: 0.8374 expected, the leader has 0.861"),
    },
)  # fmt: skip
ASKED = decision(
    Verdict.PROMOTE, "all five criteria hold after 3 seeds", 3, 0.008, (0.002, 0.014),
    {
        "improvement": (0.008, 0.005, True, "+0.008 (95 % interval +0.002 to +0.014), wanted at least +0.005"),
        "significance": (0.012, 0.05, True, "p = 0.012"),
        "no_regression": (0.004, 0.1, True, f"latency_ms: unchanged, 95 % bound worse by 0.4 %, {ALLOWED}"),
        "reproducibility": (0.001135, 0.005, True, "3 seeds, std 0.001 is 0.11 % of the mean"),
        "projection": (0.9999, 0.5, True, "P(#1) = 1.00: 0.881 expected, the leader has 0.861"),
    },
)  # fmt: skip


def runs(first, purpose, first_seed, *scores):
    """Finished trials in the order of their numbers and seeds."""
    return [
        TrialLine(first + i, purpose, "full", first_seed + i, "done", {"accuracy": score, "latency_ms": 2.04}, 2.91)
        for i, score in enumerate(scores)
    ]


def experiments():
    asked = ExperimentEntry(
        hypothesis(20, "Look deeper", HypothesisStatus.ESCALATED, {"depth": 4}), "waits_for_approval",
        "automation.promotion is approve: all five criteria hold after 3 seeds", ASKED,
        runs(90, "candidate", 9000, 0.880, 0.881, 0.882), decision_id=10,
    )  # fmt: skip
    won = ExperimentEntry(
        hypothesis(12, f"Re-rank {EVIL}", HypothesisStatus.PROMOTED, {"rerank": "`on`"}, "arxiv:2602.01234"),
        "promote", WON.reason, WON,
        [*runs(73, "candidate", 8000, 0.870, 0.872, 0.874, 0.875, 0.876), *runs(78, "estimate", 8500, 0.872, 0.873, 0.874)],
        decision_id=9, plot="reports/plots/H-012-9.png",
    )  # fmt: skip
    lost = ExperimentEntry(
        hypothesis(11, "Forget more", HypothesisStatus.ARCHIVED, {"forget": 2}), "futile", f"futile: {LOST.reason}",
        LOST, [*runs(71, "candidate", 7000, 0.8374), TrialLine(72, "candidate", "full", 7001, "oom_host", {}, 0.4)],
        decision_id=8,
    )  # fmt: skip
    return [asked, won, lost]


def waiting():
    approval = [f"auto-benchmark {verb} H-020 --reason '…'" for verb in ("approve", "reject")]
    odd = shell_word(f"competitor/{EVIL}'s\n`x`")
    return [
        OpenQuestion(
            NOW - timedelta(hours=1), f"H-020 waits for approval {EVIL}", "", approval, ASKED, "H-020", '{"depth": 4}'
        ),
        OpenQuestion(NOW, f"A competitor cannot be read {EVIL}", BRIEF, [f"auto-benchmark close {odd} --reason '…'"]),
    ]


def technical_log():
    promoted = (
        f"{WON.reason}; claimed +0.0210, confirmed +0.0206 on 3 fresh seeds; our measurement: MemoryBench 0.8730"
    )
    lines = [
        LogLine(NOW - timedelta(hours=2, seconds=-1), "approval", "H-012", "promotion approved by ann"),
        LogLine(NOW - timedelta(hours=2), "promotion", "H-012", promoted),
        LogLine(NOW - timedelta(hours=9), "rejection", "H-011", f"futile: {LOST.reason}"),
    ]
    lost_for = [failure(c) for c in LOST.criteria if not c.passed]
    return TechnicalLog(
        written_at=NOW, experiments=experiments(), lines=lines,
        positions=[
            Position("MemoryBench", 1, 0.871, 0.010, seen_at=NOW),
            Position("LongContextEval", 2, 0.812, -0.006, seen_at=NOW),
            Position("NewBoard", None, None, None, is_stale=True, seen_at=NOW - timedelta(days=10)),
        ],
        queue=[hypothesis(14, "Next", HypothesisStatus.QUEUED, {"window": 16})],
        statistics=Statistics(
            "1 of 40 (2.5 %, 95 % interval 0.1 % to 13.2 %)", 0.031,
            {"memory@1/gate": {"candidate": 9, "defense": 92, "estimate": 3}}
        ),
        summary=["1 promotion, 0 new challengers, 0 rollbacks, 1 rejection (1 futile)", "2 cases wait for a person"],
        cases=waiting(),
        ranks={
            "MemoryBench": [
                RankLine(NOW, 1, 0.871, "OurSystem", 0.871), RankLine(NOW - timedelta(days=3), 2, 0.852, EVIL, 0.861),
            ],
            "LongContextEval": [RankLine(NOW - timedelta(days=4), 2, 0.812, "Rival", 0.818)],
            "NewBoard": [RankLine(NOW - timedelta(days=10), None, None, "Rival", 0.702)],
        },
        verdicts=[
            VerdictLine(
                lines[1], f"Re-rank {EVIL}", "+0.0210 (95 % interval +0.0120 to +0.0300) on 5 seeds; P(#1) 1.00",
                outcome="promote",
            ),
            VerdictLine(
                lines[2], "Forget more", "-0.0150 (95 % interval -0.0290 to -0.0010) on 1 seed; P(#1) 0.04", lost_for,
                "futile",
            ),
        ],
        spending=[
            SpendingLine("last 24 hours", "14 of 400", "0.010 of 24", "0.0140 of 50 USD"),
            SpendingLine("last seven days", "14 of 2800", "0.010 of 168", "0.0140 of 350 USD"),
        ],
        failed=[FailedTrial(72, "H-011", "oom_host", f"killed at 512 MB {EVIL}", 2)],
        others=[(TrialLine(70, "search", "fast", 1, "done", {"accuracy": 0.8}, 2.1), '{"k": 7, "x": "`|"}')],
        screening="2 papers screened, 1 concerns us: 1 hypothesis.",
        papers=[PaperLine(f"A paper {EVIL}", "arXiv:2602.01234", ["re-ranking"], "hypothesis: H-012")],
        other_papers=[PaperLine("About weather", "arXiv:2602.00001", [], "names no technique of ours")],
        plots={"MemoryBench": "reports/plots/MemoryBench-1.png"},
        production=Holder(NOW - timedelta(hours=2), "H-012", '{"k": 5, "rerank": "\'on\'"}', {"MemoryBench": 0.873}),
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
    assert text.count("<details>") == text.count("</details>") == 12
    assert "<b>" not in text


def test_delta_report():
    old = [("OurSystem", 0.823), ("CompetitorA", 0.819), ("CompetitorB", 0.80)]
    new = [("CompetitorA", 0.847), ("NewEntrant", 0.83), ("OurSystem", 0.823), ("CompetitorB", 0.80)]
    before, now = ([Entry(rank=i + 1, system=s, score=v) for i, (s, v) in enumerate(rows)] for rows in (old, new))
    delta = compare(before, now, board="MemoryBench", higher_is_better=True, ours=["OurSystem"])
    matrix = gap_matrix([BoardState("MemoryBench", now, True, items=2000)], ["OurSystem"])
    assert_golden("\n".join(map(str, delta.alerts)) + "\n\n" + matrix.markdown(), GOLDEN / "delta_report.md")


def test_research_log():
    entry = LoggedPaper(
        date(2026, 2, 10), f"HyperMemory {EVIL}", "arXiv:2602.01234", "https://example.org/abs/2602.01234",
        ("MemoryBench",), ("+4.2% on MemoryBench vs prior SOTA",),
        (LoggedTechnique("Hierarchical compression", "Medium", "High", True),),
        "Generate hypothesis.", "H-012 promoted",
    )  # fmt: skip
    skipped = Skipped(date(2026, 2, 9), "A paper about weather", "arXiv:2602.00001", "names no technique of ours")
    assert_golden(render_research_log([entry], [skipped]), GOLDEN / "research_log.md")

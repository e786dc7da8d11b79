"""Ten questions about a week whose answers are known: a reader who has TECHNICAL_LOG.md alone finds each of them.

Each question is answered from the one section whose heading promises it (docs/ten_questions.md).
"""

import itertools
import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests import web_world
from tests.toy_project import environment
from tests.web_world import BENCHMARK

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.record import ExperimentPlan, TrialPlan
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import decisions, experiments, records, trials
from auto_benchmark.experiments.gate.rounds import archive
from auto_benchmark.flows import inline
from auto_benchmark.project.context import make_context
from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.schema import Criterion, Decision, Evidence, Observation, Verdict
from auto_benchmark.sources.connection import NamedConnections

_numbers = itertools.count(1)
ROOT = Path(__file__).resolve().parents[2]
ODD_KEY = 'competitor/-it\'s `id` $(id) \\ "!!" <b>\n\u202e; ünder'


@pytest.fixture(scope="module")
def week(tmp_path_factory, postgres, template_database):
    """The log of an eventful week, and the ids in it."""
    settings = web_world.settings_of(tmp_path_factory.mktemp("week"))
    url = postgres.create_database(f"week_{next(_numbers)}", template=template_database)
    bind = engine(url)
    sessions = session_factory(bind)
    web_world.declare(sessions, settings)
    began = datetime.now(UTC).date()
    ids = web_world.fill(sessions)
    ids["days"] = [day.isoformat() for day in (began, datetime.now(UTC).date())]
    ctx = make_context(settings, sessions, NamedConnections({}))
    with sessions.begin() as session:
        ids["rejected"] = rejected(ctx, session)
        ids["failed"] = failed(session, ids["rejected"])
        for verdict in (Verdict.FUTILE, Verdict.PROMOTE, Verdict.FUTILE, Verdict.REJECT):
            compared_with_itself(session, verdict)
        records.escalate(session=session, project="default", key=ODD_KEY, title="Odd", brief="What is it?")
    inline.report(ctx)
    ids |= {"ctx": ctx, "environment": shell(settings, url)}
    yield (ctx.home / "TECHNICAL_LOG.md").read_text(), ids
    bind.dispose()


def shell(settings, url):
    """What a shell of this project's people has set."""
    return {**os.environ, **environment(settings, db_url=url), "PYTHONPATH": "include:plugins"}


def rejected(ctx, session):
    mine = web_world.add_hypothesis(session, "default", "Forget more", {"forget": 2}, 0.03)
    experiment = web_world.start_experiment(session, "default", mine)
    record(session, experiment, Verdict.REJECT, (-0.020, 0.004), passed={"improvement": False, "projection": False})
    found = experiments.get(session=session, project="default", experiment_id=experiment)
    archive(ctx, session, found, "reject", "reject: no improvement that matters")
    return mine


def record(session, experiment, verdict, interval, passed):
    seen = [Observation(seed=seed, metrics={"accuracy": 0.7 + seed / 1000}) for seed in (1, 2, 3)]
    evidence = Evidence(
        metric="accuracy", higher_is_better=True, promotion_threshold=0.005, candidate=seen, control=seen
    )
    estimate = sum(interval) / 2
    numbers = {"improvement": (estimate, 0.005), "projection": (0.1, 0.5)}
    rows = [
        Criterion(name=n, value=numbers[n][0], threshold=numbers[n][1], passed=ok, reason="so")
        for n, ok in passed.items()
    ]
    said = Decision(verdict=verdict, reason="so", n=3, estimate=estimate, interval=interval, criteria=rows)
    decisions.record(
        session=session, project="default", experiment_id=experiment, look=1, case=Case(evidence=evidence), decision=said,
        trial_ids=[], alpha_spent=0.005, alpha_wealth=0.031,
    )  # fmt: skip


def failed(session, about):
    experiment = web_world.start_experiment(session, "default", about)
    plan = TrialPlan("toy", {"forget": 2}, BENCHMARK, Stage.FULL, 77, "candidate", experiment_id=experiment)
    trial = trials.plan(session=session, project="default", plans=[plan])[0]
    trials.claim(session=session, project="default", owner="o", lease_s=60, trial_ids=[trial.id])
    trials.fail(
        session=session, trial_id=trial.id, owner="o", failure=FailureClass.BAD_OUTPUT, message="metrics.json holds NaN",
    )  # fmt: skip
    return trial.id


def compared_with_itself(session, verdict):
    plan = ExperimentPlan("aa", f"aa-{next(_numbers)}", "toy", BENCHMARK, {"reads": 6}, {"reads": 6})
    experiment = experiments.start(session=session, project="default", plan=plan).id
    record(session, experiment, verdict, (-0.01, 0.01), passed={"improvement": verdict is Verdict.PROMOTE})
    experiments.finish(session=session, experiment_id=experiment, outcome=str(verdict), reason="")


def section(text, heading):
    """What stands under a heading."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"no section {heading!r}"
    return found[1]


def row(text, start):
    """Cells of the table row that contains ``start`` in one of its first three cells."""
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in text.splitlines() if line.startswith("| ")]
    return next(cells for cells in rows if any(start in cell for cell in cells[:3]))


def test_1_what_was_promoted_and_why(week):
    text, ids = week
    cells = row(section(text, "Promotions and rejections"), ids["hypothesis"])
    assert cells[1] == "promotion"
    assert "Read more" in cells[2]
    assert cells[-1].startswith("won")


def test_2_how_sure_it_is(week):
    text, ids = week
    how_sure = row(section(text, "Promotions and rejections"), ids["hypothesis"])[3]
    assert how_sure == "+0.0175 (95 % interval +0.0050 to +0.0300) on 3 seeds"


def test_3_what_was_rejected_and_for_which_criterion(week):
    text, ids = week
    cells = row(section(text, "Promotions and rejections"), ids["rejected"])
    assert cells[1] == "rejection"
    assert cells[4] == "improvement -0.0080, wanted ≥ +0.0050; projection P(#1) 0.10, wanted ≥ 0.50"
    rest = section(text, "Experiments").partition("Forget more")[2].partition("</details>")[0]
    assert "Not reached by this decision: significance, no regression, reproducibility." in rest


def test_4_what_is_next_with_which_score(week):
    text, ids = week
    queue = section(text, "Queue: what runs next")
    assert row(queue, ids["queued"])[:2] == [ids["queued"], "10.0"]
    assert queue.index(ids["queued"]) < queue.index(ids["waiting"]), "best first"


def test_5_which_papers_were_screened_with_which_disposition(week):
    text, _ = week
    papers = section(text, "Papers")
    assert papers.strip().startswith("2 papers screened, 1 concerns us: 1 hypothesis.")
    assert row(papers, "Reading more helps")[-1] == "hypothesis"
    assert row(papers, "A title")[-1] == "not about memory"


def test_6_spend_against_budget(week):
    text, _ = week
    spent = row(section(text, "Spending against budget"), "last 24 hours")
    assert spent[1] == "11 of 300"
    assert spent[3] == "0.0900 of 5 USD"
    week_row = row(section(text, "Spending against budget"), "last seven days")
    assert week_row[1:] == ["11 of 2100", "0.010 of 35", "0.0900 of 35 USD"]


def test_7_which_trials_failed_and_why(week):
    text, ids = week
    cells = row(section(text, "Failed trials of the last seven days"), str(ids["failed"]))
    assert cells[1:4] == [f"[{ids['rejected']}](#{ids['rejected'].lower()})", "bad_output", "metrics.json holds NaN"]


def test_8_the_aa_rate(week):
    text, _ = week
    said = section(text, "What the statistics say about themselves")
    assert re.search(r"promoted by mistake: 1 of 4 \(25\.0 %, 95 % interval 0\.6 % to 80\.6 %\)", said)


def test_9_the_history_of_our_rank(week):
    text, ids = week
    history = section(text, "Position").partition("MemoryBench: rank over time")[2].partition("</details>")[0]
    ranks = re.findall(r"^\| (\d{4}-\d\d-\d\d) .*?\| (#\d+) \|", history, re.MULTILINE)
    assert [rank for _, rank in ranks] == ["#1", "#2", "#2"]
    assert ranks[0][0] in ids["days"]
    assert "reports/plots/" in history
    lines = [line for line in section(text, "Position").splitlines() if line.startswith("- ")]
    assert re.match(
        r"- MemoryBench: #1 \(since 2\d{3}-\d\d-\d\d \d\d:\d\d, #2 before\), our score on the board", lines[0]
    )
    assert re.match(r"- LongContextEval: #2 \(no movement since 2\d{3}-", lines[1])
    assert re.match(r"- In production since 2\d{3}-\d\d-\d\d \d\d:\d\d: \[H-001\]", lines[2])


def test_10_what_needs_a_person(week):
    text, ids = week
    waiting = section(text, "Waiting for a person")
    assert f"{ids['waiting']} waits for approval" in waiting
    assert "Improvement +0.0120, 95 % interval +0.0040 to +0.0200, 3 seeds." in waiting
    assert '[H-003](#h-003) changes `{"colour": "green"}`. The gate says promote' in waiting
    assert "| improvement | +0.0120 | ≥ +0.0050 | yes |" in waiting
    assert f"auto-benchmark approve {ids['waiting']} --reason '…'" in waiting
    assert "3 cases wait for a person" in section(text, "The last seven days")


def test_10_its_commands_can_be_pasted_whatever_the_question_is_called(week):
    text, ids = week
    typed = [
        line for line in section(text, "Waiting for a person").splitlines() if line.startswith("auto-benchmark ")
    ]
    assert [line.split()[1] for line in typed] == ["close", "approve", "reject", "close"]
    program = f'auto-benchmark() {{ {shlex.quote(sys.executable)} -m auto_benchmark "$@"; }}\n'
    assert all(line.count("'…'") == 1 for line in typed), "the reason is what a person fills in"
    script = program + "\n".join(
        line.replace("'…'", "'known since May'") for line in typed if " approve " not in line
    )
    done = subprocess.run(
        ["bash", "-eu", "-c", script], env=ids["environment"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    with ids["ctx"].sessions() as session:
        assert records.open_escalations(session=session, project="default") == []
        reasons = [e.reason for e in records.logged(session=session, project="default", kind="escalation")]
    assert len(reasons) == 2
    assert all(reason.endswith(": known since May") for reason in reasons)

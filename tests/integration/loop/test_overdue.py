"""The dead man's alert: what was due and left no trace, once per missed moment."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from auto_benchmark.boards.steps import board_names, scrape_board
from auto_benchmark.db.repositories import records
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.telling import digest as report_digest
from auto_benchmark.telling.overdue import check_overdue


def at(ctx, moment):
    return replace(ctx, now=lambda: moment)


@pytest.fixture
def next_monday():
    """Midnight before the first Monday that lies a whole week ahead, so that the project has missed nothing yet."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=14 - today.weekday())


def alerts(ctx):
    with ctx.sessions() as session:
        return [entry.subject for entry in records.logged(session=session, project=ctx.project, kind="alert")]


def test_nothing_is_overdue_before_the_project_is_known(toy, next_monday):
    assert check_overdue(at(toy.ctx, next_monday)) == []


def test_nothing_is_overdue_at_the_start_and_within_the_grace(toy):
    reconcile(toy.ctx)
    assert check_overdue(toy.ctx) == []
    now = datetime.now(UTC)
    six = now.replace(hour=6, minute=0, second=0, microsecond=0)
    six += timedelta(days=six <= now)
    assert "leaderboard_scrape" not in check_overdue(at(toy.ctx, six + timedelta(minutes=119)))
    assert "leaderboard_scrape" in check_overdue(at(toy.ctx, six + timedelta(minutes=121)))


def test_a_missed_scrape_and_digest_are_told_once_per_moment(toy, next_monday):
    reconcile(toy.ctx)
    eleven = at(toy.ctx, next_monday.replace(hour=11, minute=1))
    assert check_overdue(eleven) == check_overdue(eleven) == ["leaderboard_scrape", "report_digest"]
    assert sorted(alerts(toy.ctx)) == ["leaderboard_scrape", "report_digest"]
    assert any(line.startswith("[ALERT] leaderboard_scrape was due at") for line in toy.said)
    assert check_overdue(at(toy.ctx, next_monday.replace(hour=11) + timedelta(days=1))) == [
        "leaderboard_scrape",
        "report_digest",
    ]
    assert sorted(alerts(toy.ctx)) == ["leaderboard_scrape", "leaderboard_scrape", "report_digest"]


def test_what_has_run_is_not_overdue(toy, next_monday):
    reconcile(toy.ctx)
    morning = at(toy.ctx, next_monday.replace(hour=9, minute=30))
    for name in board_names(morning):
        scrape_board(morning, name)
    report_digest.write_digest(morning, report_digest.week_of(morning.now()))
    assert check_overdue(at(toy.ctx, next_monday.replace(hour=12))) == []
    assert alerts(toy.ctx) == []

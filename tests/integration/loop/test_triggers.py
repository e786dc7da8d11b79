"""What a landscape sets in motion is decided once, waits until a run answers it, and is answered once."""

from __future__ import annotations

import pytest

from auto_benchmark.boards.landscape import answers, waiting
from auto_benchmark.boards.victory import note_cycle
from auto_benchmark.db.repositories import records, snapshots
from auto_benchmark.defense.steps import is_leading
from auto_benchmark.experiments.steps import check_freshness
from auto_benchmark.flows import inline
from auto_benchmark.flows.cycle import run_cycle
from auto_benchmark.leaderboards.triggers import Action
from auto_benchmark.papers.steps import fetch_papers

LEADING = "system,accuracy\nOurs,0.61\nNear,0.55\nLast,0.50\n"
NARROW = LEADING.replace("Near,0.55", "Near,0.609")
ENTRANT = "system,accuracy\nLeader,0.90\nOurs,0.61\nFresh,0.60\nLast,0.50\n"


def decided(ctx, action):
    """Keys of the decisions for an action, oldest first."""
    with ctx.sessions() as session:
        logged = records.logged(session=session, project=ctx.project, kind="trigger")
    return [entry.key for entry in reversed(logged) if entry.inputs["action"] == action]


def scrapes(toy, board, *cycles):
    """Triggers that wait after each of some scrapes of a board."""
    toy.board.write_text(board)
    return [inline.scrape(toy.ctx, cycle=cycle)["triggers"] for cycle in cycles]


class TestMaintenance:
    """The default victory condition wants three cycles in a row."""

    def test_it_is_decided_when_the_board_is_won_and_once(self, toy):
        assert scrapes(toy, LEADING, "c0", "c1", "c2", "c2") == [[], [], *[["maintenance_sweep"]] * 2]
        assert is_leading(toy.ctx, owner="run-1", woken=True)
        assert scrapes(toy, LEADING.replace("Last,0.50", "Last,0.51"), *(f"c{n}" for n in range(3, 11))) == [[]] * 8
        assert decided(toy.ctx, "maintenance_sweep") == ["trigger/maintenance_sweep/ToyBoard/since/c0"]

    def test_a_board_that_is_won_anew_is_defended_anew(self, toy):
        scrapes(toy, LEADING, "c0", "c1", "c2")
        assert is_leading(toy.ctx, owner="run-1", woken=True)
        assert scrapes(toy, NARROW, "c3") == [[]]
        assert scrapes(toy, LEADING, "c4", "c5", "c6") == [[], [], ["maintenance_sweep"]]

    def test_a_lead_that_is_lost_before_the_look_is_not_called_won(self, toy):
        scrapes(toy, LEADING, "c0", "c1")
        ctx = toy.ctx
        with ctx.sessions.begin() as session:
            note_cycle(ctx, session, "c2")
        toy.board.write_text(LEADING.replace("Near,0.55", "Near,0.65"))
        assert "maintenance_sweep" not in inline.scrape(ctx)["triggers"]


def test_a_close_entrant_is_decided_once_and_waits_until_a_run_answers(toy):
    inline.scrape(toy.ctx)
    assert scrapes(toy, ENTRANT, None, None) == [["preemptive_hypotheses"]] * 2
    assert len(decided(toy.ctx, "preemptive_hypotheses")) == 1
    assert check_freshness(toy.ctx, owner="run-1", woken=True) == {"stale": []}
    assert inline.scrape(toy.ctx)["triggers"] == []
    assert check_freshness(toy.ctx, owner="run-2", woken=True) is None, "another run has answered it"
    assert check_freshness(toy.ctx, owner="run-1", woken=True) is not None, "a killed try is taken over by the next"
    assert check_freshness(toy.ctx, owner="run-3", woken=False) is not None, "a scheduled run has work of its own"


def test_a_cycle_of_the_command_line_answers_what_it_finds(toy):
    inline.scrape(toy.ctx)
    toy.board.write_text(ENTRANT)
    assert run_cycle(toy.ctx, "c0")["sweep"]["experiments"]
    with toy.ctx.sessions() as session:
        assert waiting(toy.ctx, session) == []
        (answer,) = records.logged(session=session, project=toy.ctx.project, kind="answer")
    assert answer.subject == "preemptive_hypotheses"
    assert answer.key == f"answer/{decided(toy.ctx, 'preemptive_hypotheses')[0]}"


def test_a_run_that_was_woken_for_nothing_asks_nobody_for_papers(toy):
    assert fetch_papers(toy.ctx, owner="run-1", woken=True) is None


@pytest.mark.parametrize("action", [Action.MAINTENANCE_SWEEP, Action.RESEARCH_INGEST])
def test_an_action_that_was_not_decided_is_not_answered(toy, action):
    assert not answers(toy.ctx, action, owner="run-1", woken=True)
    assert answers(toy.ctx, action, owner="run-1", woken=False)


def test_a_rank_drop_is_decided_in_one_place(toy, monkeypatch):
    """The trigger that people read of names the recorded drops, whatever the rule says of the changes later."""

    inline.scrape(toy.ctx)
    monkeypatch.setattr(snapshots, "is_rank_drop", lambda change, rank: False)
    toy.board.write_text("system,accuracy\nLeader,0.90\nLast,0.70\nOurs,0.61\n")
    assert inline.scrape(toy.ctx)["unclaimed_rank_drops"] == 0
    assert decided(toy.ctx, "urgent_sweep") == []

"""What a user is told of the boards: losses, overtakings, units, and where an own result stands."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest
import yaml
from sqlalchemy import text


def board(*rows, columns="system,score"):
    return f"{columns}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


class TestALostPlace:
    """Finding 5."""

    def test_losing_first_place_within_the_interval_is_an_alert(self, diff):
        old = board(("Ours", 0.900), ("Rival", 0.899))
        told = diff(old, board(("Rival", 0.905), ("Ours", 0.900)), items=900)
        alerts = [line for line in told["alerts"] if line.startswith("[ALERT]")]
        assert [line for line in alerts if "Rival" in line and "tied" in line], told["alerts"]

    @pytest.mark.parametrize("metric", ["mae", "RMSE", "val_loss", "mean_absolute_error"])
    def test_items_make_no_tie_of_an_amount(self, diff, metric):
        old = board(("Ours", 0.490), ("Rival", 0.700), columns=f"system,{metric}")
        new = board(("Rival", 0.480), ("Ours", 0.490), columns=f"system,{metric}")
        asked = {
            "columns": {"system": "system", "score": metric},
            "primary_metric": metric,
            "higher_is_better": False,
        }
        told = diff(old, new, items=900, **asked)
        assert "overtook_us" in {c["type"] for c in told["changes"]}, told
        assert not [line for line in told["alerts"] if "tied" in line]

    def test_a_date_column_that_is_not_declared_makes_no_correction(self, diff):
        columns = "system,score,date"
        old = board(("Ours", 0.80, "2026-01-02"), ("Rival", 0.70, "2026-01-01"), columns=columns)
        new = board(("Rival", 0.85, "2026-01-01"), ("Ours", 0.80, "2026-01-02"), columns=columns)
        told = diff(old, new, columns={"system": "system", "score": "score"})
        assert {c["type"] for c in told["changes"] if c["system"] == "Rival"} == {"improved", "overtook_us"}


def test_an_overtaking_of_ours_tells_our_rank(diff):
    old = board(("Leader", 0.90), ("Rival", 0.80), ("Ours", 0.70))
    told = diff(old, board(("Leader", 0.90), ("Ours", 0.85), ("Rival", 0.80)))
    (line,) = [line for line in told["alerts"] if "We overtook Rival" in line]
    assert "#2" in line and "#3" not in line


class TestUnits:
    """Finding 3: board and benchmark are compared in one unit."""

    ROWS = (("Leader", 0.90), ("Rival", 0.85), ("Other", 0.80), ("Fourth", 0.70), ("Ours", 0.61))

    def test_a_board_that_turns_to_percent_has_not_changed(self, diff):
        percent = [(name, f"{100 * score:.1f}%") for name, score in self.ROWS]
        told = diff(board(*self.ROWS), board(*percent))
        assert told["changes"] == []

    def test_a_board_that_turns_to_percent_without_a_sign_has_not_changed(self, diff):
        percent = [(name, f"{100 * score:.1f}") for name, score in self.ROWS]
        told = diff(board(*self.ROWS), board(*percent))
        assert told["changes"] == []

    def test_our_measured_share_is_compared_with_a_board_in_percent(self, toy):
        from auto_benchmark.boards.standing import focus

        promoted(toy, "system,accuracy\nLeader,90.0%\nLast,50.0%\n", 0.95)
        with toy.ctx.sessions() as session:
            aim = focus(toy.ctx, session)
        assert aim.gap_fraction == 0.0 and aim.gap == pytest.approx(5.0)
        assert aim.unit_note == "gains are in the benchmark's unit, where 0.01 is one point of the board"

    def test_what_is_written_about_a_board_in_percent_is_percent(self, toy):
        """Changelog, technical log, live registry, and the lines of a promotion."""
        from auto_benchmark.project.board_units import as_boards_write
        from auto_benchmark.project.reconcile import render_views
        from auto_benchmark.telling.technical_log import write_logs

        promoted(toy, "system,accuracy\nLeader,90.0%\nLast,50.0%\n", 0.9512)
        render_views(toy.ctx)
        write_logs(toy.ctx)
        assert "- ToyBoard: 95.1200" in (toy.ctx.home / "CHANGELOG.md").read_text()
        assert "ToyBoard 95.1200" in (toy.ctx.home / "TECHNICAL_LOG.md").read_text()
        (registry,) = toy.ctx.home.rglob("competitive_registry.yaml")
        assert yaml.safe_load(registry.read_text())["our_solution"]["current_scores"] == {"ToyBoard": 95.12}
        with toy.ctx.sessions() as session:
            assert as_boards_write(toy.ctx, session, {"ToyBoard": 0.9512}) == "ToyBoard 95.12"

    def test_what_is_written_about_a_board_of_shares_is_a_share(self, toy):
        from auto_benchmark.project.board_units import as_boards_write

        promoted(toy, "system,accuracy\nLeader,0.90\nLast,0.50\n", 0.9512)
        with toy.ctx.sessions() as session:
            assert as_boards_write(toy.ctx, session, {"ToyBoard": 0.9512}) == "ToyBoard 0.9512"
            assert as_boards_write(toy.ctx, session, {}) == ""

    def test_doctor_says_that_the_unit_is_another(self, toy, on_toy):
        promoted(toy, "system,accuracy\nLeader,3141\nLast,2718\n", 0.95)
        ended = on_toy("doctor", "toy")
        assert "ToyBoard" in ended.said and "unit" in ended.said


class TestThreshold:
    """Finding 11: a threshold above the gap to #1 is told."""

    @pytest.mark.parametrize("words", [("doctor", "toy"), ("status",)])
    def test_it_is_told(self, toy, on_toy, words):
        from auto_benchmark.flows import inline

        toy.board.write_text("system,accuracy\nLeader,0.617\nOurs,0.610\nLast,0.500\n")
        inline.scrape(toy.ctx)
        assert re.search(r"threshold.*0\.03|0\.03.*threshold", on_toy(*words).said)


def promoted(toy, rows, score, reads=6):
    """A configuration of ours in production, measured at ``score``, beside a board that does not show it yet."""
    from auto_benchmark.db.repositories import production
    from auto_benchmark.flows import inline
    from auto_benchmark.promotion.production import ProductionCandidate

    toy.board.write_text(rows)
    inline.scrape(toy.ctx)
    bench = toy.ctx.bench
    params = {**bench.solution.solution.defaults, "reads": reads, "flip": 0.0}
    candidate = ProductionCandidate(
        solution="toy", benchmark=bench.ref, params=params, scores={"ToyBoard": score}, reason="a test"
    )
    with toy.ctx.sessions.begin() as session:
        production.promote(session=session, project=toy.ctx.project, candidate=candidate)


class TestNoSubmissionApi:
    """Finding 4: a result that is better than the board's is handed in by a person, who is asked to."""

    ROWS = "system,accuracy\nLeader,0.90\nOurs,0.61\nLast,0.50\n"

    def test_our_own_measurement_stands_beside_the_boards(self, toy, command):
        promoted(toy, self.ROWS, 0.95)
        (shown,) = json.loads(command("status", "--json")[1])["boards"]
        assert 0.95 in shown.values() and 0.61 in shown.values()
        assert "0.95" in command("status")[1]

    def test_a_person_is_asked_to_hand_it_in(self, toy):
        from auto_benchmark.db.repositories import records
        from auto_benchmark.experiments.submission import submit

        promoted(toy, self.ROWS, 0.95)
        submit(toy.ctx)
        with toy.ctx.sessions() as session:
            questions = records.open_escalations(session=session, project=toy.ctx.project)
        assert [q for q in questions if "hand" in q.title.lower() and "predictions" in q.brief]

    def test_handed_in_or_not_now_ends_the_question(self, toy, command):
        from auto_benchmark.db.repositories import records, submissions
        from auto_benchmark.experiments.submission import submit
        from auto_benchmark.telling import approvals

        promoted(toy, self.ROWS, 0.95)
        submit(toy.ctx)
        told = command("status")[1]
        assert "Hand production in to ToyBoard" in told and "approve ToyBoard" in told
        assert approvals.approve(toy.ctx, "ToyBoard", by="ann")["kind"] == "hand_in"
        submit(toy.ctx)
        with toy.ctx.sessions() as session:
            assert records.open_escalations(session=session, project=toy.ctx.project) == []
            (made,) = submissions.listed(session=session, project=toy.ctx.project)
        assert (made.state, made.score) == ("accepted", None), "the row that the board will show is known to be ours"

        promoted(toy, self.ROWS, 0.97, reads=7)
        submit(toy.ctx)
        assert approvals.reject(toy.ctx, "ToyBoard", by="ann", reason="not now")["kind"] == "hand_in"
        submit(toy.ctx)
        with toy.ctx.sessions() as session:
            assert records.open_escalations(session=session, project=toy.ctx.project) == []

    def test_a_result_that_the_board_shows_is_asked_for_no_more(self, toy):
        from auto_benchmark.db.repositories import records
        from auto_benchmark.experiments.submission import submit

        promoted(toy, "system,accuracy\nLeader,0.90\nOurs,0.94\nLast,0.50\n", 0.95)
        submit(toy.ctx)
        with toy.ctx.sessions() as session:
            assert records.open_escalations(session=session, project=toy.ctx.project) == []


class TestABoardThatWasNeverRead:
    """No trial is spent where nothing says what there is to win."""

    def test_nothing_is_tried(self, toy):
        from auto_benchmark.flows import inline

        toy.board.unlink()
        inline.scrape(toy.ctx)
        said = []
        assert inline.sweep(dataclasses.replace(toy.ctx, say=said.append)) == {"experiments": [], "submissions": []}
        assert [line for line in said if line.startswith("nothing is tried: ToyBoard was never read (")], said
        with toy.ctx.sessions() as session:
            assert session.scalar(text("select count(*) from auto_benchmark.trials")) == 0

    def test_one_that_could_be_read_once_is_acted_on(self, toy):
        from auto_benchmark.experiments.sweep import nothing_to_aim_at
        from auto_benchmark.flows import inline

        inline.scrape(toy.ctx)
        toy.board.unlink()
        inline.scrape(toy.ctx)
        assert nothing_to_aim_at(toy.ctx) is None

    def test_one_that_no_scrape_has_asked_for_may_be_readable(self, toy):
        from auto_benchmark.experiments.sweep import nothing_to_aim_at

        assert nothing_to_aim_at(toy.ctx) is None


class TestACorrectedBoard:
    """Rows that were shares by mistake and are percent now: a person says that it is so, and the loop goes on."""

    WRONG = "system,accuracy\nLeader,0.704\nOurs,0.625\nLast,0.5\n"
    RIGHT = "system,accuracy\nLeader,64.8\nOurs,61\nLast,50\n"

    def asked(self, toy):
        from auto_benchmark.db.repositories import records

        with toy.ctx.sessions() as session:
            return [
                e for e in records.open_escalations(session=session, project=toy.ctx.project) if "unlike" in e.title
            ]

    def leader(self, toy):
        from auto_benchmark.db.repositories import snapshots

        with toy.ctx.sessions() as session:
            return snapshots.latest(session=session, project=toy.ctx.project, board="ToyBoard").entries[0].score

    def corrected(self, toy):
        from auto_benchmark.flows import inline

        for rows in (self.WRONG, self.RIGHT, self.RIGHT):
            toy.board.write_text(rows)
            inline.scrape(toy.ctx)
        assert self.leader(toy) == 0.704
        (question,) = self.asked(toy)
        return question

    def test_a_person_who_says_that_it_is_so_has_it_taken_in(self, toy, command):
        from auto_benchmark.flows import inline

        question = self.corrected(toy)
        assert "Leader went from 0.704 to 64.8" in question.brief and "suspect: suspect" not in question.brief
        assert f"auto-benchmark approve {question.key}" in command("status")[1]
        assert command("approve", question.key, "--reason", "typed as shares")[0] == 0
        assert (self.leader(toy), self.asked(toy)) == (64.8, [])
        inline.scrape(toy.ctx)
        assert (self.leader(toy), self.asked(toy)) == (64.8, [])

    def test_a_person_who_says_no_is_not_asked_about_it_again(self, toy, command):
        from auto_benchmark.flows import inline

        question = self.corrected(toy)
        assert command("reject", question.key, "--reason", "they are wrong")[0] == 0
        inline.scrape(toy.ctx)
        assert (self.leader(toy), self.asked(toy)) == (0.704, [])

    def test_a_question_ends_with_a_reading_like_those_before(self, toy):
        from auto_benchmark.flows import inline

        self.corrected(toy)
        toy.board.write_text(self.WRONG.replace("0.5\n", "0.51\n"))
        inline.scrape(toy.ctx)
        assert self.asked(toy) == []

    def test_a_newer_reading_is_asked_about_instead(self, toy):
        from auto_benchmark.flows import inline

        first = self.corrected(toy)
        toy.board.write_text(self.RIGHT.replace("50\n", "51\n"))
        inline.scrape(toy.ctx)
        (newer,) = self.asked(toy)
        assert newer.key != first.key


class TestAGapThatIsAnother:
    """A question about a gap waits no longer than the gap."""

    @pytest.mark.parametrize(("leader", "ours", "still"), [(0.9, 0.61, True), (0.8, 0.61, False), (0.6, 0.61, False)])
    def test_its_question_is_closed(self, toy, leader, ours, still):
        from auto_benchmark.boards.gap_questions import gap_key
        from auto_benchmark.db.repositories import records
        from auto_benchmark.flows import inline

        rows = "system,accuracy\nLeader,{}\nOurs,{}\nLast,0.50\n"
        toy.board.write_text(rows.format(0.9, 0.61))
        inline.scrape(toy.ctx)
        key = gap_key("ToyBoard", 0.9)
        with toy.ctx.sessions.begin() as session:
            records.escalate(session=session, project=toy.ctx.project, key=key, title="a gap", brief="a gap")
        toy.board.write_text(rows.format(leader, ours))
        inline.scrape(toy.ctx)
        with toy.ctx.sessions() as session:
            waiting = {e.key for e in records.open_escalations(session=session, project=toy.ctx.project)}
        assert (key in waiting) == still

"""What Slack gets: everything once, in order, in its thread and within Slack's limits, whatever happens."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from pydantic import SecretStr
from slack_sdk.http_retry import builtin_handlers
from tests.fakes.clock import FrozenClock
from tests.fakes.slack_server import FakeSlack, served
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.boards.steps import board_names, scrape_board, update_landscape
from auto_benchmark.db.repositories import outbox, production, records, submissions
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.registry.schedule import Notifications
from auto_benchmark.sources.connection import HttpConnection, NamedConnections
from auto_benchmark.telling import slack

HOSTILE = "<!channel> *Bold* _it_ `code` <https://evil.example|free> & :tada: "


def board_of(*scores):
    return "system,accuracy\n" + "".join(f'"{name}",{score}\n' for name, score in scores)


class World:
    """A project, a Slack and a clock that both go by."""

    def __init__(self, ctx, slack_server, clock, board):
        self.ctx, self.slack, self.clock, self.board = ctx, slack_server, clock, board

    def scrape(self, *scores):
        """Read the board, and tell nobody yet."""
        if scores:
            self.board.write_text(board_of(*scores))
        reconcile(self.ctx)
        for name in board_names(self.ctx):
            scrape_board(self.ctx, name)
        update_landscape(self.ctx, cycle=None)

    def hand_in(self, score):
        """A submission of production that the board has scored."""
        with self.ctx.sessions.begin() as session:
            current = production.current(session=session, project="default")
            made, _ = submissions.enqueue(
                session=session, project="default", board="ToyBoard", production_config_id=current.id, payload={}
            )
            submissions.set_state(session=session, submission_id=made.id, state="accepted", score=score)

    def notify(self, **told):
        return slack.notify(replace(self.ctx, **told))

    def with_notifications(self, **changed):
        schedule = self.ctx.config.schedule
        wanted = {"slack_conn_id": "slack", "channel": "#alerts", **changed}
        schedule = schedule.model_copy(update={"notifications": Notifications(**wanted)})
        self.ctx = replace(self.ctx, config=replace(self.ctx.config, schedule=schedule))

    def log(self, key, kind, subject, reason="because", **inputs):
        with self.ctx.sessions.begin() as session:
            records.log(
                session=session, project="default", key=key, kind=kind, subject=subject, reason=reason, inputs=inputs
            )

    @property
    def titles(self):
        return [m["text"] for m in self.slack.posted]


@pytest.fixture
def world(tmp_path, postgres, template_database, monkeypatch):
    files, url = ToyFiles(tmp_path), toy_database(postgres, template_database)
    clock = FrozenClock()
    start = datetime.now(UTC)
    monkeypatch.setattr(builtin_handlers, "time", SimpleNamespace(sleep=clock.sleep))  # slack_sdk's waits
    with served(FakeSlack(clock)) as server:
        endpoint = HttpConnection(server.url, SecretStr(server.token))
        with toy_context(files.settings(), url, NamedConnections({"slack": endpoint})) as made:
            ctx = replace(made, now=lambda: start + timedelta(seconds=clock.now - 1000))
            world = World(ctx, server, clock, files.board)
            world.with_notifications()
            reconcile(ctx)
            yield world


def rivals(count, gain):
    return [(f"{HOSTILE}{n:03d}", round(0.2 + n / 500 + gain(n), 4)) for n in range(count)]


def a_day_of_180_changes(world):
    """Everybody moves a little, up to just behind and just ahead of us."""
    world.scrape(("Ours", 0.561), ("Steady", 0.7), *rivals(180, lambda n: 0.0))
    world.scrape(("Ours", 0.561), ("Steady", 0.7), *rivals(180, lambda n: 0.003 + (n % 3) / 1000))


def texts_of(message):
    return "\n".join(block["text"]["text"] for block in message["blocks"])


def test_a_day_of_180_changes_fits_and_says_everything_as_text(world):
    a_day_of_180_changes(world)
    told = world.notify()
    assert told["posted"] == len(world.slack.posted) > 0
    assert told["postponed"] == 0
    assert world.slack.refused == []
    assert world.slack.live == []
    everything = "\n".join(texts_of(m) for m in world.slack.posted)
    shown = [n for n in range(180) if f"{n:03d} " in everything]
    more = everything.partition("… and ")[2].partition(" more")[0]
    assert len(shown) + int(more or 0) >= 180
    first = world.slack.posted[0]
    assert first["text"].startswith("🔻 Overtaken on ToyBoard: now #")
    lines = texts_of(first).splitlines()
    assert lines[1].startswith("• Our rank: #"), "our standing comes first"
    assert "overtook us" in lines[2]
    assert "&lt;!channel&gt;" in everything
    assert "*Bold*" not in everything
    assert ":tada:" not in everything
    assert [m["thread_ts"] for m in world.slack.posted[1:]] == [first["ts"]] * (len(world.slack.posted) - 1)


def test_a_second_run_says_nothing_again(world):
    a_day_of_180_changes(world)
    world.notify()
    before = list(world.slack.posted)
    world.scrape()
    assert world.notify() == {"new": 0, "posted": 0, "found": 0, "written": 0, "postponed": 0, "note": ""}
    assert world.slack.posted == before


def test_rate_limits_are_waited_for_and_order_is_kept(world):
    for n in range(12):
        world.log(f"promotion/{n}", "promotion", f"H-{n:03d}")
    assert world.notify()["posted"] == 12
    assert world.titles == [f"🚀 Promoted H-{n:03d}" for n in range(12)]
    assert [int(pause) for pause in world.clock.slept] == [5, 5], "as long as asked, and slack_sdk's jitter"


def test_a_long_silence_is_not_slept_through_in_the_task(world):
    world.slack.retry_after = 3600
    for n in range(6):
        world.log(f"promotion/{n}", "promotion", f"H-{n:03d}")
    told = world.notify()
    assert (told["posted"], told["postponed"]) == (4, 1)
    assert world.clock.slept == []
    world.clock.sleep(3601)
    assert world.notify()["posted"] == 2
    assert world.titles == [f"🚀 Promoted H-{n:03d}" for n in range(6)]


@pytest.mark.parametrize("fault", ["down", 503, "fatal_error", "ratelimited"])
def test_an_outage_loses_nothing_and_the_next_run_tells_it(world, fault):
    world.log("promotion/1", "promotion", "H-001")
    world.log("promotion/2", "promotion", "H-002")
    for _ in range(15):  # more often than other messages are tried
        world.slack.faults = [fault] * 3
        told = world.notify()
        assert (told["posted"], told["postponed"]) == (0, 1)
        world.clock.sleep(120)
    world.slack.faults = []
    assert world.notify()["posted"] == 2
    assert sorted(world.titles) == ["🚀 Promoted H-001", "🚀 Promoted H-002"]


def keys_of(posted):
    return [m["metadata"]["event_payload"]["key"] for m in posted]


@pytest.mark.parametrize("seed", range(3))
def test_a_day_of_180_changes_an_outage_and_runs_again_lose_nothing_and_tell_nothing_twice(world, seed):
    a_day_of_180_changes(world)
    for n in range(6):
        world.log(f"promotion/{n}", "promotion", f"H-{n:03d}")
    chance = random.Random(seed)
    faults = ["down", "lost", 500, 503, "fatal_error", "ratelimited", None, None]
    for _ in range(8):
        world.slack.faults = chance.choices(faults, k=4)
        world.scrape()
        world.notify()
        world.clock.sleep(120)
    world.slack.faults = []
    for _ in range(3):
        world.notify()
        world.clock.sleep(120)
    with world.ctx.sessions() as session:
        wanted = outbox.answers(session=session, project="default", topic="slack")
        assert outbox.pending(session=session, project="default") == {}
    assert len(wanted) >= 7, "the day and six promotions"
    assert sorted(keys_of(world.slack.posted)) == sorted(m.idempotency_key for m in wanted)
    assert world.slack.refused == []
    day = [m for m in world.slack.posted if "ToyBoard" in m["text"]]
    assert [m["thread_ts"] for m in day] == [None, *[day[0]["ts"]] * (len(day) - 1)]
    everything = "\n".join(texts_of(m) for m in day)
    more = everything.partition("… and ")[2].partition(" more")[0]
    assert len([n for n in range(180) if f"{n:03d} " in everything]) + int(more or 0) >= 180


def test_a_question_about_a_board_goes_to_its_channel(world):
    world.with_notifications(routes={"ToyBoard": "#toys"})
    world.slack.channels.add("#toys")
    with world.ctx.sessions.begin() as session:
        for key, inputs in (("approve-submission/ToyBoard/1", {"board": "ToyBoard"}), ("competitor/x", {})):
            records.escalate(
                session=session, project="default", key=key, title=key, brief="Read it.", inputs=inputs
            )  # fmt: skip
    world.notify()
    assert {m["text"].split(": ")[1]: m["channel"] for m in world.slack.posted} == {
        "approve-submission/ToyBoard/1": "#toys", "competitor/x": "#alerts",
    }  # fmt: skip


def test_a_lost_answer_is_not_posted_twice(world):
    world.log("promotion/1", "promotion", "H-001")
    world.slack.faults = ["lost"]
    assert world.notify()["postponed"] == 1
    assert len(world.slack.posted) == 1
    world.clock.sleep(120)
    told = world.notify()
    assert (told["posted"], told["found"]) == (0, 1)
    assert len(world.slack.posted) == 1


def test_without_the_right_to_look_a_message_is_posted_again_rather_than_lost(world):
    world.slack.scopes.remove("channels:history")
    world.log("promotion/1", "promotion", "H-001")
    world.slack.faults = ["down"]
    world.notify()
    world.clock.sleep(120)
    assert world.notify()["posted"] == 1
    assert world.titles == ["🚀 Promoted H-001"]


def test_blocks_that_slack_refuses_go_as_one_line_and_not_again(world):
    world.log("promotion/1", "promotion", "H-001")
    world.slack.faults = ["invalid_blocks"]
    assert world.notify()["posted"] == 1
    assert world.slack.posted[0]["blocks"] is None
    assert world.slack.posted[0]["text"] == "🚀 Promoted H-001"
    assert world.notify()["posted"] == 0


def test_one_thread_per_incident_from_the_lost_place_to_having_it_back(world):
    world.scrape(("Ours", 0.9), ("Rival", 0.8))
    world.scrape(("Ours", 0.9), ("Rival", 0.95))
    world.notify()
    world.log("rank_drop/1", "rank_drop", "ToyBoard", "Rival passed us on ToyBoard; urgent sweep started")
    world.log("production/7", "promotion", "H-004", scores={"ToyBoard": 0.97})
    world.notify()
    world.hand_in(0.97)
    world.scrape(("Ours", 0.97), ("Rival", 0.95))
    world.notify()
    world.scrape(("Ours", 0.97), ("Rival", 0.98))
    world.notify()
    assert world.titles == [
        "🔻 Overtaken on ToyBoard: now #2",
        "🔻 Answering the lost place on ToyBoard",
        "🚀 Promoted H-004",
        "🏆 We are #1 on ToyBoard",
        "🔻 Overtaken on ToyBoard: now #2",
    ]
    first = world.slack.posted[0]["ts"]
    assert [m["thread_ts"] for m in world.slack.posted] == [None, first, first, first, None]


def test_a_regression_its_rollback_and_its_escalation_share_a_thread(world):
    world.log("regression/3/ToyBoard accuracy", "regression", "ToyBoard accuracy")
    world.log("rollback/3", "rollback", "ToyBoard accuracy")
    with world.ctx.sessions.begin() as session:
        records.escalate(
            session=session, project="default", key="regression/3/latency", title="Production regressed: latency",
            brief="Latency doubled.\n\nSee the log.",
        )  # fmt: skip
    world.notify()
    first = world.slack.posted[0]["ts"]
    assert [m["thread_ts"] for m in world.slack.posted] == [None, first, first]
    assert world.titles[2] == "🙋 A person is needed: Production regressed: latency"


def test_a_new_entrant_ahead_and_a_missed_cycle_are_told(world):
    world.scrape(("Ours", 0.9), ("Rival", 0.8))
    world.scrape(("Ours", 0.9), ("Rival", 0.8), ("Newcomer", 0.95))
    world.log("overdue/x", "alert", "report_digest", "report_digest was due and did not run")
    world.notify()
    assert world.titles == ["🆕 New entrant ahead of us on ToyBoard: now #2", "⏰ Cycle missed: report_digest"]


def test_boards_have_their_channels_and_a_closed_one_holds_nothing_else_up(world):
    world.with_notifications(routes={"ToyBoard": "#toys"})
    world.scrape(("Ours", 0.9), ("Rival", 0.8))
    world.scrape(("Ours", 0.9), ("Rival", 0.95))
    world.log("promotion/1", "promotion", "H-001")
    told = world.notify()
    assert (told["posted"], told["postponed"]) == (1, 1)
    assert world.slack.posted[0]["channel"] == "#alerts"
    world.slack.channels.add("#toys")
    world.clock.sleep(120)
    assert world.notify()["posted"] == 1
    assert world.slack.posted[1]["channel"] == "#toys"


def test_quiet_hours_hold_all_but_lost_places_back(world):
    hour = world.ctx.now().hour
    world.with_notifications(quiet_hours=(hour, (hour + 2) % 24))
    world.scrape(("Ours", 0.9), ("Rival", 0.8))
    world.log("promotion/1", "promotion", "H-001")
    world.scrape(("Ours", 0.9), ("Rival", 0.95))
    assert world.notify()["posted"] == 1
    assert world.titles == ["🔻 Overtaken on ToyBoard: now #2"]
    world.clock.sleep(2 * 3600)
    assert world.notify()["posted"] == 1
    assert world.titles[1] == "🚀 Promoted H-001"


def test_the_digest_is_posted_once_and_only_when_its_week_is_over(world):
    monday = world.ctx.now().date() - timedelta(days=world.ctx.now().weekday())
    last = monday - timedelta(days=7)
    facts = {"lines": ["ToyBoard: #1 ✅ (our score: 0.900)"], "changes": [], "completed": 2, "promoted": 1}
    for week in (last, monday):
        for _ in range(2):
            with world.ctx.sessions.begin() as session:
                records.save_digest(session=session, project="default", week=week, markdown="# D", facts=facts)
            world.notify()
    assert world.titles == [f"🗞️ Benchmark Digest — Week of {last.isoformat()}"]
    assert "2 completed, 0 failed fast validation, 1 promoted" in texts_of(world.slack.posted[0])


def test_without_a_connection_everything_is_in_reports_and_the_task_says_so(world):
    said = []
    world.with_notifications(slack_conn_id=None)
    a_day_of_180_changes(world)
    told = world.notify(say=said.append)
    assert told["posted"] == 0
    assert told["written"] > 0
    assert "reports/" in told["note"]
    assert said == [f"Slack: {told['note']}"]
    file = world.ctx.home / "reports" / f"slack-{world.ctx.now().date().isoformat()}.md"
    text = file.read_text()
    assert all(f"{n:03d} " in text for n in range(180))
    world.notify()
    assert file.read_text() == text
    world.log("promotion/1", "promotion", "H-001")
    world.notify()
    assert file.read_text() == text + "\n🚀 Promoted H-001\n- because\n"


def test_a_declared_connection_that_is_missing_is_named(world):
    world.with_notifications(slack_conn_id="nowhere")
    world.log("promotion/1", "promotion", "H-001")
    told = world.notify()
    assert told["written"] == 1
    assert "nowhere" in told["note"]


def test_a_killed_worker_leaves_nothing_behind_for_good(world):
    world.log("promotion/1", "promotion", "H-001")
    slack.enqueue(world.ctx)
    with world.ctx.sessions.begin() as session:
        claimed = outbox.claim(
            session=session, owner="killed", lease_s=600, topic="slack", project="default", now=world.ctx.now()
        )
    assert len(claimed) == 1
    assert world.notify()["posted"] == 0
    world.clock.sleep(601)
    assert world.notify()["posted"] == 1

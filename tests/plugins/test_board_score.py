"""Waiting for a board to show our score, against a server that listens."""

import asyncio
import json

import pytest
from tests.toy_project import ToyFiles, enter_through_airflow
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.airflow
SPEC = {
    "name": "Board",
    "conn_id": "board",
    "url": "/api/board",
    "scrape_method": "api",
    "primary_metric": "f1",
    "higher_is_better": True,
    "locate": {"jsonpath": "$.entries[*]"},
    "columns": {"system": "system", "score": "score"},
}


def page(**scores: float) -> bytes:
    return json.dumps({"entries": [{"system": name, "score": score} for name, score in scores.items()]}).encode()


@pytest.fixture
def trigger(server, monkeypatch):
    from auto_benchmark_airflow.triggers.board_score import BoardScoreTrigger

    described = {"conn_type": "http", "host": "127.0.0.1", "port": server.port, "password": "t"}
    monkeypatch.setenv("AIRFLOW_CONN_BOARD", json.dumps(described))
    return lambda score, **more: BoardScoreTrigger(
        expected=[{"spec": {**SPEC, **more}, "score": score}], names=["Ours", "ours-v2"], poll_interval=0.1
    )


async def first_event(trigger, within: float = LIMIT_S):
    return (await asyncio.wait_for(anext(trigger.run()), within)).payload


def test_it_waits_until_the_score_is_shown(trigger, server):
    pages = [page(Rival=0.9, Other=0.5), page(Rival=0.9, Ours=0.7), page(Rival=0.9, Ours=0.8124)]
    server.body = pages[0]
    server.after = lambda: setattr(server, "body", pages[min(len(server.asked), 2)])
    assert asyncio.run(first_event(trigger(0.8125))) == {"shown": {"Board": 0.8124}}
    assert len(server.asked) == 3
    assert server.asked[0][2]["authorization"] == "Bearer t"


def test_a_board_that_is_away_for_a_while_is_waited_for(trigger, server):
    server.status, server.body = 503, page(Ours=0.8, Rival=0.7)
    server.after = lambda: setattr(server, "status", 200)
    assert asyncio.run(first_event(trigger(0.8))) == {"shown": {"Board": 0.8}}


def test_lower_is_better_counts_down(trigger, server):
    server.body = page(Rival=0.2, Ours=0.3)
    with pytest.raises(TimeoutError):
        asyncio.run(first_event(trigger(0.25, higher_is_better=False), within=0.5))
    assert asyncio.run(first_event(trigger(0.3, higher_is_better=False))) == {"shown": {"Board": 0.3}}


def test_without_a_score_any_entry_of_ours_will_do(trigger, server):
    server.body = json.dumps(
        {"entries": [{"system": "OURS-V2", "score": 0.1}, {"system": "R", "score": 0.2}]}
    ).encode()
    assert asyncio.run(first_event(trigger(None))) == {"shown": {"Board": 0.1}}


class TestSensor:
    """An event says that something may have happened; the sensor looks for itself before it succeeds."""

    @pytest.fixture
    def sensor(self, server, tmp_path, monkeypatch):
        import yaml

        from auto_benchmark.experiments.steps import handed_in
        from auto_benchmark.flows.step import Step, StepKind
        from auto_benchmark_airflow.sensors.board_score import BoardScoreSensor

        files = ToyFiles(tmp_path)
        ours = {"name": "Ours", "aliases": ["ours-v2"], "solution": "toy"}
        registry = {"domain": "toys", "target_leaderboards": [SPEC], "our_solution": ours}
        (files.config / "competitive_registry.yaml").write_text(yaml.safe_dump(registry))
        enter_through_airflow(monkeypatch, files.settings(), "postgresql+psycopg://nobody@127.0.0.1:1/none")
        described = {"conn_type": "http", "host": "127.0.0.1", "port": server.port, "password": "t"}
        monkeypatch.setenv("AIRFLOW_CONN_BOARD", json.dumps(described))
        awaits = Step(id="shown", run=handed_in, kind=StepKind.AWAIT, may_skip=True)
        submitted = [{"board": "Board", "state": "accepted", "score": 0.8}]
        return BoardScoreSensor(task_id="shown", project="default", step=awaits, arguments={"submitted": submitted})

    def resumed(self, sensor):
        return sensor.execute_complete({}, event={"shown": {"Board": 0.8}})

    def test_it_succeeds_while_the_board_shows_the_score(self, sensor, server):
        server.body = page(Rival=0.9, Ours=0.8)
        assert self.resumed(sensor) == {"Board": 0.8}

    def test_it_waits_again_where_the_board_does_not_show_the_score_any_more(self, sensor, server):
        from airflow.sdk.exceptions import TaskDeferred

        server.body = page(Rival=0.9, Ours=0.5)
        with pytest.raises(TaskDeferred):
            self.resumed(sensor)

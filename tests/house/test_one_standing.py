"""Where we stand is one notion: the same lead, with the same sign, wherever it is shown; no name of ours is a rival."""

from __future__ import annotations

import json

import pytest
import yaml
from tests.command_line import runner


@pytest.fixture
def standing(toy):
    """The toy project, which is on its board twice: .900 under its name, .899 under an alias; the rival has .800."""

    def read(board="system,accuracy\nOurs,0.900\nOurs v2,0.899\nRival,0.800\n", higher_is_better=True):
        file = toy.board.parent / "competitive_registry.yaml"
        declared = yaml.safe_load(file.read_text())
        declared["our_solution"]["aliases"] = ["Ours v2"]
        victory = {"absolute_rank": 1, "relative_gap": 0.05, "sustained_cycles": 1}
        declared["target_leaderboards"][0] |= {"victory": victory}
        file.write_text(yaml.safe_dump(declared))
        from auto_benchmark.flows import inline

        toy.board.write_text(board)
        ctx = toy.again()
        inline.scrape(ctx, cycle="one")
        return ctx

    return read


def test_status_shows_the_lead_over_the_best_rival(standing, command):
    standing()
    (board,) = json.loads(command("status", "--json")[1])["boards"]
    assert (board["our_rank"], board["gap"]) == (1, pytest.approx(0.100))


def test_victory_is_judged_by_the_lead_over_the_best_rival(standing, command):
    standing()
    (board,) = json.loads(command("status", "--json")[1])["boards"]
    assert board["victory"] is True


def test_the_digest_shows_the_lead_over_the_best_rival(standing):

    from auto_benchmark.flows import inline

    ctx = standing()
    told = inline.report(ctx)
    line = next(text for text in (ctx.home / told["path"]).read_text().splitlines() if "ToyBoard" in text)
    assert "0.100" in line, line


def test_the_gap_matrix_shows_the_difference_to_the_rival(standing):
    ctx = standing()
    row = next(r for r in (ctx.home / "reports/gap_matrix.md").read_text().splitlines() if "Rival" in r)
    assert "+0.100" in row


def test_alerts_tell_the_lead_over_the_best_rival(tmp_path, monkeypatch, capsys):
    spec = "name: B\nscrape_method: csv\nprimary_metric: accuracy\nhigher_is_better: true\n"
    (tmp_path / "spec.yaml").write_text(spec)
    for day, rival in (("old", "0.790"), ("new", "0.800")):
        rows = f"system,accuracy\nOurs,0.900\nOurs v2,0.899\nRival,{rival}\n"
        (tmp_path / f"{day}.csv").write_text(rows)
    ended = runner(monkeypatch, capsys)(
        "leaderboard", "diff", tmp_path / "old.csv", tmp_path / "new.csv", "--spec", tmp_path / "spec.yaml",
        "--ours", "Ours", "--ours", "Ours v2",
    )  # fmt: skip
    assert "[STATUS] Our rank: #1 | Lead over #2: +0.1" in ended.out.replace("+0.100", "+0.1"), ended.out


@pytest.mark.airflow
class TestPage:
    @pytest.fixture
    def page(self, standing):
        from tests.airflow_home import HOME

        assert HOME
        from fastapi import FastAPI
        from fastapi.testclient import TestClient

        from auto_benchmark_airflow.web.reads.position import add_position
        from auto_benchmark_airflow.web.world import World

        ctx = standing()
        world = World(ctx.settings, lambda: "")
        world.__dict__["sessions"] = ctx.sessions
        app = FastAPI()
        add_position(app, world)
        return lambda path: TestClient(app).get(f"/api/default/{path}").json()

    def test_it_shows_the_lead_over_the_best_rival(self, page):
        (board,) = page("boards")["boards"]
        assert board["gap"] == pytest.approx(0.100)

    def test_it_marks_every_name_of_ours(self, page):
        rows = {row["system"]: row["ours"] for row in page("matrix")["rows"]}
        assert rows == {"Ours": True, "Ours v2": True, "Rival": False}


def test_behind_the_gap_is_negative_wherever_it_is_shown(standing, command):
    standing("system,accuracy\nRival,0.950\nOurs,0.900\nOurs v2,0.899\n")
    (board,) = json.loads(command("status", "--json")[1])["boards"]
    assert board["gap"] == pytest.approx(-0.050)

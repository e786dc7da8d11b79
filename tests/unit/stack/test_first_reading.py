"""``make up`` reads the boards of a new project at once, and those of no other."""

from __future__ import annotations

from typing import Any

from auto_benchmark.stack.first_reading import read_boards_once


class Dags:
    def __init__(self) -> None:
        self.started: list[str] = []

    def dags(self) -> dict[str, bool]:
        scrapes = {"leaderboard_scrape": False, "old__leaderboard_scrape": False, "still__leaderboard_scrape": True}
        return {**scrapes, "experiment_sweep": False}

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        ran = dag_id in self.started or dag_id == "old__leaderboard_scrape"
        return [{"dag_run_id": "one"}] if ran else []

    def trigger(self, dag_id: str) -> str:
        self.started.append(dag_id)
        return "one"


def test_a_project_that_was_never_read_is_read_once() -> None:
    api = Dags()
    assert read_boards_once(api) == ["leaderboard_scrape"] == api.started
    assert read_boards_once(api) == []

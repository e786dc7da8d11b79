"""What people write on the first day: one point as 1, and a board's file that is not there yet."""

import pytest
import yaml

from auto_benchmark.project.configuration_check import check
from auto_benchmark.project.scaffold import new_project
from auto_benchmark.settings import Settings


@pytest.fixture
def project(tmp_path):
    """A scaffolded project with a board kept by hand: settings, and its registry's file."""
    parts = {name: tmp_path / name for name in ("config", "benchmarks", "solutions")}
    for folder in parts.values():
        folder.mkdir()
    settings = Settings(home=tmp_path / "home", **parts)
    new_project(settings, "tickets")
    return settings, parts["config"] / "projects" / "tickets" / "competitive_registry.yaml"


def changed(file, change):
    declared = yaml.safe_load(file.read_text())
    change(declared)
    file.write_text(yaml.safe_dump(declared, sort_keys=False))


def told(settings):
    return [[(each.field, each.message) for each in found] for found in check(settings)]


def test_the_scaffold_is_sound(project):
    faults, notes = told(project[0])
    assert [fault for fault in faults if "promotion_threshold" in fault[0]] == []
    assert [note for note in notes if "no file" in note[1]] == []


@pytest.mark.parametrize("where", ["board", "ours"])
def test_one_point_is_not_1(project, where):
    settings, file = project

    def change(declared):
        board = declared["target_leaderboards"][0]
        if where == "board":
            board["promotion_threshold"] = 1
        else:
            del board["promotion_threshold"]
            declared["our_solution"]["promotion_threshold"] = 1

    changed(file, change)
    field = "target_leaderboards[0].promotion_threshold" if where == "board" else "our_solution.promotion_threshold"
    assert [(at, text) for at, text in told(settings)[0] if at == field and "one point is 0.01" in text]


def test_a_board_without_its_file_is_named(project):
    settings, file = project
    changed(file, lambda declared: declared["target_leaderboards"][0].update(url="elsewhere.yaml"))
    noted = [text for field, text in told(settings)[1] if field == "target_leaderboards[0].url"]
    assert noted == ["no file 'elsewhere.yaml' beside the registry; the board cannot be read without it"]

"""``new project | solution | benchmark``: what it writes works at once, and touches nothing that is there."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import re
from pathlib import Path

import pytest
import yaml
from tests.command_line import Run, runner

from auto_benchmark.artifacts.packages import read_lock

WITH_TORCH = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
TEMPLATES = ["sklearn", pytest.param("pytorch", marks=WITH_TORCH)]
NAMES = ["", "Shop", "1shop", "a b", "a-b", "../up", "/tmp/x", "a" * 64, "ä", "a\n", "-", "a/b"]


@pytest.fixture
def places(tmp_path, open_directory, monkeypatch):
    """Folders of a user's own, without anything in them."""
    found = {name: tmp_path / name for name in ("config", "solutions", "benchmarks")}
    found["home"] = open_directory / f"new-{tmp_path.name}"
    for name, path in found.items():
        path.mkdir()
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name.upper()}", str(path))
    monkeypatch.chdir(tmp_path)
    return found


@pytest.fixture
def cli(places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def regression(places) -> None:
    """The sample benchmark's items, asked for a number."""
    folder = places["benchmarks"] / "rings"
    text = (folder / "benchmark.yaml").read_text().replace("scorer: accuracy", "scorer: rmse")
    text = text.replace("secondary: [macro_f1]", "secondary: [r2]")
    text = text.replace("metric: accuracy, higher_is_better: true", "metric: rmse, higher_is_better: false")
    (folder / "benchmark.yaml").write_text(text)
    for file in folder.glob("*.jsonl"):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        rows = [{**row, "answer": len(row["answer"]) + row["input"]["x"]} for row in rows]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("answers", ["labels", "numbers"])
def test_a_new_solution_passes_check_and_doctor_at_once(cli, places, template, answers, monkeypatch):
    if (template, answers) != ("sklearn", "labels"):  # once is enough: each knob costs trials
        monkeypatch.setattr("auto_benchmark.experiments.trials.doctor.EFFECTS_S", 0.0)
    assert cli("new", "benchmark", "rings").code == 0
    if answers == "numbers":
        regression(places)
    made = cli("new", "solution", "mine", "--benchmark", "rings", "--template", template)
    assert made.code == 0, made.err
    lock = " --lock" if template == "pytorch" else ""
    assert made.out.splitlines() == ["wrote solutions/mine", f"next: auto-benchmark doctor mine{lock}"]
    assert cli("new", "project", "shop", "--solution", "mine").code == 0
    checked = cli("check")
    assert (checked.code, checked.out.splitlines()[0], checked.err) == (0, "every config file is sound", "")
    examined = cli("doctor", "mine", "--json")
    told = json.loads(examined.out)
    assert examined.code == 0 and told["ok"], told
    assert any(f["text"].startswith(f"score: rings_board {'rmse' if answers == 'numbers' else 'accuracy'} =")
               for f in told["findings"])  # fmt: skip


def test_a_project_brings_what_it_lacks(cli, places):
    made = cli("new", "project", "shop")
    assert made.out.splitlines()[:3] == [
        "wrote benchmarks/shop",
        "wrote solutions/shop",
        "wrote config/projects/shop",
    ]
    assert re.match(
        r"next: .*competitive_registry\.yaml.*doctor shop.*loop run --project shop", made.out.splitlines()[3]
    )
    assert len(made.out.splitlines()) == 4
    assert cli("check").code == 0
    (board,) = yaml.safe_load((places["config"] / "projects/shop/competitive_registry.yaml").read_text())[
        "target_leaderboards"
    ]
    assert (board["name"], board["benchmark"]) == ("shop_board", "shop")


def test_a_board_of_any_name_is_written_as_yaml(cli, places):
    cli("new", "benchmark", "rings")
    file = places["benchmarks"] / "rings" / "benchmark.yaml"
    file.write_text(file.read_text().replace("rings_board:", "'Board: \"#1\" {x} ü':"))
    assert cli("new", "solution", "mine", "--benchmark", "rings").code == 0
    assert cli("new", "project", "shop", "--solution", "mine").code == 0
    assert cli("check").code == 0
    text = (places["config"] / "projects/shop/competitive_registry.yaml").read_text()
    assert yaml.safe_load(text)["target_leaderboards"][0]["name"] == 'Board: "#1" {x} ü'


@pytest.mark.parametrize("what", ["benchmark", "solution", "project"])
def test_nothing_is_overwritten(cli, places, tmp_path, what):
    cli("new", "project", "shop")
    folder = {"benchmark": "benchmarks/shop", "solution": "solutions/shop", "project": "config/projects/shop"}[what]
    (tmp_path / folder / "mine.txt").write_text("mine")
    before = everything(tmp_path)
    again = cli("new", what, "shop")
    assert again.code == 2 and f"{folder} exists already; nothing was written" in again.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize("what", ["benchmark", "solution", "project"])
def test_a_link_to_nowhere_is_something_that_exists(cli, places, tmp_path, what):
    folder = {"benchmark": "benchmarks/x", "solution": "solutions/x", "project": "config/projects/x"}[what]
    (tmp_path / folder).parent.mkdir(exist_ok=True)
    (tmp_path / folder).symlink_to(tmp_path / "nowhere")
    assert cli("new", what, "x").code == 2
    assert (tmp_path / folder).is_symlink() and not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("what", ["benchmark", "solution", "project"])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_name_is_refused(cli, places, tmp_path, what, name):
    ended = cli("new", what, "--", name)
    assert ended.code == 2 and f"cannot be the name of a {what}" in ended.err
    assert everything(tmp_path) == {}


@pytest.mark.parametrize("name", ["sealed", "environments", "default"])
def test_a_folder_of_the_installation_is_no_project(cli, places, tmp_path, name):
    assert cli("new", "project", name).code == 2 and everything(tmp_path) == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solution", "x", "--benchmark", "none"], "no benchmark 'none'"),
        (["solution", "x", "--template", "tf"], "no template 'tf'; there are sklearn, pytorch"),
        (["project", "x", "--solution", "none"], "no solution 'none'"),
    ],
)
def test_what_it_builds_on_must_be_there(cli, places, tmp_path, arguments, said):
    ended = cli("new", *arguments)
    assert ended.code == 2 and said in ended.err and everything(tmp_path) == {}


def test_a_disk_that_fails_in_between_leaves_nothing(cli, places, tmp_path, monkeypatch):
    write = Path.write_text

    def failing(self, text, **more):
        # what a killed command leaves there goes with the next one's scratch folder
        assert self.parent.parent.name.startswith(".ab-new-")
        if self.name == "gate.jsonl":
            raise OSError(28, os.strerror(28))
        return write(self, text, **more)

    monkeypatch.setattr(Path, "write_text", failing)
    ended = cli("new", "benchmark", "rings")
    assert ended.code == 2 and "benchmarks/rings cannot be written: No space left on device" in ended.err
    assert list(places["benchmarks"].iterdir()) == []


def test_json_names_folders_and_the_next_step(cli, places):
    told = json.loads(cli("new", "benchmark", "rings", "--json").out)
    assert told["folders"] == ["benchmarks/rings"] and told["next"].startswith("next: put your own rows")


def test_every_model_of_the_template_takes_its_rows_scaled_or_not(cli, places, tmp_path):
    """A queue of hypotheses reaches each pair of values; an SVM refused the rows that nothing had scaled."""
    assert cli("new", "project", "shop").code == 0
    failed = {}
    for model, scale in itertools.product(["linear", "svm", "forest", "neighbours"], [True, False]):
        trial = {"solution": "shop", "params": {"model": model, "scale": scale}, "stage": "fast", "subset": 0.2}
        (tmp_path / "trial.yaml").write_text(json.dumps(trial))
        ended = cli(
            "trial", "run", str(tmp_path / "trial.yaml"), "--seed", "1", "--out", str(tmp_path / f"{model}{scale}")
        )
        if ended.code:
            failed[model, scale] = ended.err
    assert failed == {}


@pytest.mark.parametrize("template", ["sklearn", "pytorch"])
def test_a_template_pins_what_the_project_pins(cli, places, template):
    """Otherwise a new solution asks for an environment of its own."""
    cli("new", "solution", "mine", "--template", template)
    pinned = {entry.text.partition("==")[0]: entry for entry in read_lock(places["solutions"] / "mine")}
    ours = (Path(__file__).resolve().parents[2] / "requirements.txt").read_text().splitlines()
    for name, entry in pinned.items():
        assert entry.text in ours or name == "torch"
    assert template == "pytorch" or all(entry.hashed for entry in pinned.values())


REGISTRY = "config/projects/shop/competitive_registry.yaml"


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("benchmark: shop", "benchmark: nothing", 2, r"\[0\]\.benchmark: no folder benchmarks/nothing"),
        ("name: \"shop_board\"", "name: Elsewhere", 0, ""),
        ("benchmark: shop\n", "\n", 0, ""),
        ("primary_metric: accuracy\n    higher_is_better: true", "primary_metric: accuracy\n    higher_is_better: false", 2,
         r"\[0\]\.higher_is_better: accuracy of shop counts up, the board's accuracy the other way"),
    ],
)  # fmt: skip
def test_a_board_names_its_benchmark(cli, places, tmp_path, old, new, code, said):
    cli("new", "project", "shop")
    file = tmp_path / REGISTRY
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    ended = cli("check")
    assert ended.code == code and re.search(said, ended.err), ended.err


def test_check_says_which_board_nothing_is_measured_for(cli, places, tmp_path):
    cli("new", "project", "shop")
    cli("new", "benchmark", "other")
    file = tmp_path / REGISTRY
    text = file.read_text()
    file.write_text(text.replace('name: "shop_board"', "name: Elsewhere").replace("benchmark: shop\n", "\n"))
    ended = cli("check")
    assert ended.code == 0 and "benchmark shop does not name the board 'Elsewhere'" in ended.err
    file.write_text(text.replace('name: "shop_board"', "name: Elsewhere").replace("metric: accuracy", "metric: bleu"))
    ended = cli("check")
    assert ended.code == 2 and "shop does not compute 'bleu'; it computes accuracy, macro_f1" in ended.err
    file.write_text(text.replace("benchmark: shop", "benchmark: other"))
    ended = cli("check")
    assert ended.code == 0 and "is watched, not improved: the solution is measured on shop" in ended.err


def test_the_project_measures_the_boards_that_name_its_benchmark(cli, places, tmp_path):
    from auto_benchmark.project.configuration import load_project
    from auto_benchmark.project.context import make_context
    from auto_benchmark.settings import Settings
    from auto_benchmark.sources.connection import NamedConnections

    def measured():
        ctx = make_context(Settings(), None, NamedConnections({}), project="shop")
        return {
            board.name: ctx.metric_of(board.name)
            for board in load_project(Settings(), "shop").registry.target_leaderboards
        }

    cli("new", "project", "shop")
    file = tmp_path / REGISTRY
    text = file.read_text()
    assert measured() == {"shop_board": ("accuracy", True)}
    file.write_text(
        text.replace('name: "shop_board"', "name: Elsewhere").replace("metric: accuracy", "metric: macro_f1")
    )
    assert measured() == {"Elsewhere": ("macro_f1", True)}
    file.write_text(text.replace("benchmark: shop", "benchmark: other"))
    assert measured() == {"shop_board": None}

"""Files that a user keeps by hand: a board's rows and a benchmark's items, as ``check`` and ``parse`` see them."""

from __future__ import annotations

import json
import re

import pytest


@pytest.fixture
def shop(cli, tmp_path, open_directory, monkeypatch):
    """A new project ``shop`` in folders of its own: how commands are run on it, and the folders."""
    folders = {name: tmp_path / name for name in ("config", "solutions", "benchmarks")}
    folders["home"] = open_directory / f"own-{tmp_path.name}"
    for name, path in folders.items():
        path.mkdir()
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name.upper()}", str(path))
    monkeypatch.chdir(tmp_path)
    assert cli("new", "project", "shop").code == 0
    return cli, folders


def keep(folders, rows: str):
    """Write the board's file, and return its path."""
    file = folders["config"] / "projects/shop/board-1.yaml"
    file.write_text(f"# kept by hand\n{rows}")
    return file


class TestABoardKeptByHand:
    @pytest.mark.parametrize(
        ("rows", "said"),
        [
            (
                "Good: 0.7\nBest: 71.3\nFair: 60.2\n",
                r"board-1\.yaml.*Good has 0\.7 beside 71\.3 of Best: a share among",
            ),
            (
                "Good: 74.2%\nBest: 0.717\n",
                r"board-1\.yaml.*mixes units that cannot be compared: .*; shares are to be written as",
            ),
            ("Good: about half\nBest: a lot\n", r"board-1\.yaml.*no numeric score"),
            ("Good: [\n", r"malformed: board-1\.yaml:\d+: not valid YAML"),
        ],
    )
    def test_check_says_what_the_next_scrape_would_refuse(self, shop, rows, said):
        cli, folders = shop
        keep(folders, rows)
        ended = cli("check")
        assert ended.code == 2
        place = r"competitive_registry\.yaml:\d+: target_leaderboards\[0\]\.url: "
        assert re.search(place + said, ended.err), ended.err

    def test_a_file_of_another_kind_is_looked_at_too(self, shop):
        cli, folders = shop
        registry = folders["config"] / "projects/shop/competitive_registry.yaml"
        text = registry.read_text().replace("board-1.yaml ", "board.csv").replace("method: manual", "method: csv")
        registry.write_text(text)
        (registry.parent / "board.csv").write_text("system,accuracy\nGood,0.7\nBest,71.3\nFair,60.2\n")
        ended = cli("check")
        assert ended.code == 0
        assert re.search(r"warning: .*\.url: board\.csv: suspect: Good has 0\.7 beside 71\.3 of Best", ended.err), (
            ended.err
        )

    @pytest.mark.parametrize(
        "rows",
        [
            "Good: 0.70\nBest: 0.713\n",
            "Good: 70\nBest: 71.3\n",
            "Good: 70%\nPoor: 0.7%\n",  # each says what it is
            "Good: 71.3\nPoor: 0.8\nFair: 4.1\n",  # percentages down to the lowest
            "Good: 35.0\nBest: 38.0\nPoor: 0.9\n",  # as a share it would lead by far
        ],
    )
    def test_rows_in_one_way_are_sound(self, shop, rows):
        cli, folders = shop
        keep(folders, rows)
        ended = cli("check")
        assert (ended.code, ended.err) == (0, "")

    def test_who_means_it_declares_the_unit(self, shop):
        cli, folders = shop
        keep(folders, "Poor: 0.7\nBest: 71.3\nFair: 60.2\n")
        registry = folders["config"] / "projects/shop/competitive_registry.yaml"
        registry.write_text(
            registry.read_text().replace("scrape_method: manual", "scrape_method: manual\n    unit: percent")
        )
        assert cli("check").code == 0

    def test_scores_that_no_share_can_have_are_named(self, shop):
        cli, folders = shop
        keep(folders, "Good: 1240\nBest: 1310\n")
        ended = cli("check")
        told = (
            r"warning: .*\.url: board-1\.yaml: its scores \(1240 to 1310\) cannot be \w+, which lies between 0 and 1"
        )
        assert ended.code == 0 and re.search(told, ended.err), ended.err

    def test_parse_reads_it(self, shop):
        cli, folders = shop
        file = keep(folders, "ParcelNet: 0.912\nQueueBERT: 0.897\n")
        ended = cli("leaderboard", "parse", str(file), "--metric", "macro_f1", "--json")
        told = json.loads(ended.out)
        assert [(e["system"], e["score"]) for e in told["entries"]] == [("ParcelNet", 0.912), ("QueueBERT", 0.897)]
        assert told["spec"]["scrape_method"] == "manual"

    @pytest.mark.parametrize(
        "rows", ["name: my-model\nepochs: 3\n", '{"ParcelNet": 0.9, "QueueBERT": 0.8}', "- 0.3\n- 0.4\n"]
    )
    def test_parse_takes_nothing_else_for_it(self, shop, rows):
        cli, folders = shop
        file = folders["home"] / "other.yaml"
        file.write_text(rows)
        assert cli("leaderboard", "parse", str(file), "--metric", "macro_f1").code == 2


def test_check_names_labels_that_no_row_of_train_has(shop):
    cli, folders = shop
    file = folders["benchmarks"] / "shop/gate.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows[:2]:
        row["answer"] = "elsewhere"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = cli("check")
    assert ended.code == 0
    assert re.search(
        r"benchmark\.yaml:\d+: splits: answers of gate that no row of train has.*'elsewhere' \(2\)$", ended.err, re.M
    )


def test_labels_that_are_written_in_two_ways_are_one(shop):
    """``1`` and ``"1"`` are one label to the scorer."""
    cli, folders = shop
    for split in ("train", "search", "gate"):
        file = folders["benchmarks"] / f"shop/{split}.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        for number, row in enumerate(rows):
            row["answer"] = str(number % 2) if split == "train" else number % 2
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "no row of train" not in cli("check").err

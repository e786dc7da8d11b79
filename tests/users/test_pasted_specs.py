"""What ``leaderboard parse`` prints is pasted into a registry in another folder and reads the same board there."""

from __future__ import annotations

import pytest
import yaml
from tests.command_line import runner

HAND_KEPT = "HydroSense: 84.9%\nPumpBERT: 82.5%\nOurs: 81.2%\n"
TABLE = "system,accuracy\nHydroSense,0.849\nOurs,0.812\n"


@pytest.mark.parametrize(("name", "text", "leader"), [("rows.yaml", HAND_KEPT, 84.9), ("rows.csv", TABLE, 0.849)])
def test_a_printed_spec_reads_the_same_file_from_elsewhere(tmp_path, monkeypatch, capsys, name, text, leader):
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / name).write_text(text)
    cli = runner(monkeypatch, capsys)
    monkeypatch.chdir(tmp_path)
    printed = cli("leaderboard", "parse", f"seen/{name}", "--metric", "accuracy").out
    spec = yaml.safe_load(printed[printed.index("# spec") :])
    elsewhere = tmp_path / "config/projects/pumps"
    elsewhere.mkdir(parents=True)
    registry = elsewhere / "competitive_registry.yaml"
    registry.write_text(
        yaml.safe_dump({"domain": "d", "target_leaderboards": [spec], "our_solution": {"name": "Ours"}})
    )

    from auto_benchmark.documents import load
    from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
    from auto_benchmark.sources.fetch import fetch
    from auto_benchmark.sources.read import read_board

    (board,) = load(CompetitiveRegistry, registry).target_leaderboards
    assert board.url is not None
    read = read_board(fetch(board.url, base=elsewhere).content, board, source=board.url)
    assert (read.entries[0].system, read.entries[0].score) == ("HydroSense", leader)

"""The laboratory's tasks as they are listed."""

from tests.command_line import runner
from tests.unit.lab.number_task import TOML, number_task


def test_a_broken_task_is_named_and_the_others_are_listed(tmp_path, monkeypatch, capsys):
    number_task(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "task.toml").write_text(TOML.replace('"minimize"', '"down"'))
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(tmp_path))
    ended = runner(monkeypatch, capsys)("lab", "list", "--json")
    assert ended.code == 2 and [task["name"] for task in ended.json["tasks"]] == ["number"]
    assert ended.err.startswith("broken/task.toml:7: metadata.optimization.direction: should be ")

"""Tasks from elsewhere without an engine: what is refused, what a reward is, what a folder is called."""

import pytest
from tests.unit.lab.harbor_task import foreign_task

from auto_benchmark.errors import ConfigError
from auto_benchmark.lab.foreign import container_judge, harbor_file, opened
from auto_benchmark.runners.container_job import JobEnd


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda task: (task / "tests" / "test.sh").unlink(), "tests/test.sh: is missing"),
        (lambda task: (task / "steps").mkdir(), "several containers or steps"),
        (lambda task: (task / "task.toml").write_text('[verifier]\nenv = {KEY = "${KEY}"}\n'), "a variable of this"),
        (lambda task: (task / "task.toml").write_text("[environment]\ngpus = 1\n"), "task.toml:2: environment.gpus"),
    ],
)
def test_what_cannot_be_run_is_refused_with_its_place(tmp_path, change, said):
    task = foreign_task(tmp_path, "scratch")
    change(task)
    with pytest.raises(ConfigError) as refused:
        harbor_file.read(task)
    assert said in str(refused.value)


def test_variables_have_their_defaults(tmp_path):
    assert harbor_file.read(foreign_task(tmp_path, "scratch")).variables() == {"STRICT": "yes"}


@pytest.mark.parametrize(
    ("file", "text", "reward"),
    [
        ("reward.txt", "0.25\n", 0.25),
        ("reward.txt", "-1", -1.0),
        ("reward.json", '{"reward": 0.5, "valid": 1}', 0.5),
        ("reward.json", '{"accuracy": 0.75}', 0.75),
        ("reward.json", "1", 1.0),
    ],
)
def test_a_reward_is_a_number(tmp_path, file, text, reward):
    (tmp_path / file).write_text(text)
    verdict = container_judge._verdict(tmp_path, JobEnd(0, "", 1.0))
    assert (verdict.valid, verdict.score, verdict.reward) == (True, reward, max(0.0, reward))


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("reward.txt", "nan", "no finite number"),
        ("reward.txt", "", "no finite number"),
        ("reward.json", '{"a": 1, "b": 2}', "holds no 'reward' and 2 other numbers"),
        ("reward.json", '{"reward": true}', "no finite number"),
        ("reward.json", '{"reward": 1e999}', "no finite number"),
        ("reward.json", "[" * 9999, "is not JSON"),
        ("other.txt", "1", "wrote no reward (exit code 4): the last line"),
    ],
)
def test_what_is_no_number_is_no_reward(tmp_path, file, text, said):
    (tmp_path / file).write_text(text)
    verdict = container_judge._verdict(tmp_path, JobEnd(4, "first\nthe last line\n", 1.0))
    assert not verdict.valid and said in verdict.reason


def test_a_link_is_no_reward(tmp_path):
    (tmp_path / "secret").write_text("1")
    (tmp_path / "reward.txt").symlink_to(tmp_path / "secret")
    assert not container_judge._verdict(tmp_path, JobEnd(0, "", 1.0)).valid


@pytest.mark.parametrize(("text", "is_folder"), [("fft", False), ("./fft", True), ("/tmp/fft", True), (".", True)])
def test_a_folder_is_named_by_a_path(text, is_folder):
    assert opened.is_folder(text) is is_folder

"""A local trial writes where the path says nothing, and what it wrote ends in its own folder."""

import pytest

from auto_benchmark.artifacts.neutral_place import RUNNING, instead_of, left_behind


@pytest.fixture
def output(tmp_path):
    place = tmp_path / "experiments" / "results" / "H-001" / "control-seed-7" / "output"
    place.mkdir(parents=True)
    return place


def test_what_is_written_there_becomes_the_output(tmp_path, output):
    with instead_of(output, tmp_path) as place:
        assert place.parent == tmp_path / RUNNING and list(left_behind(tmp_path)) == [place]
        assert place.stat().st_mode & 0o777 == 0o700
        assert not any(word in place.name for word in ("H-001", "control", "seed"))
        (place / "predictions.jsonl").write_text("1")
    assert (output / "predictions.jsonl").read_text() == "1" and list(left_behind(tmp_path)) == []


def test_so_it_does_when_the_worker_fails(tmp_path, output):
    with pytest.raises(KeyError), instead_of(output, tmp_path) as place:
        (place / "train.log").write_text("so far")
        raise KeyError
    assert (output / "train.log").read_text() == "so far"


def test_without_a_home_the_output_itself_is_used(tmp_path, output):
    with instead_of(output, None) as place:
        assert place == output
    assert list(left_behind(tmp_path)) == []


def test_a_worker_that_has_lost_its_trial_leaves_the_others_output_alone(tmp_path, output):
    with instead_of(output, tmp_path) as place:
        (place / "predictions.jsonl").write_text("late")
        (output / "predictions.jsonl").write_text("of the worker that took over")
    assert (output / "predictions.jsonl").read_text() == "of the worker that took over"
    assert list(left_behind(tmp_path)) == []

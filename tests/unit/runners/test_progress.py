"""Progress lines: each handed on once, from whichever log it is read first."""

import pytest

from auto_benchmark.runners import progress
from auto_benchmark.runners.progress import ProgressLines, parse_progress


def line(step):
    return b'AB_PROGRESS {"step": %d, "metrics": {"loss": 0.5}}' % step


def test_what_the_platforms_log_lost_is_handed_on_from_the_trials_own(tmp_path):
    seen = []
    lines = ProgressLines(seen.append)
    for read in (line(0), line(1), b"words", line(1)):
        lines.take(read)
    log = tmp_path / "train.log"
    log.write_bytes(b"\n".join([line(0), b"words", line(1), line(2), b'{"step": 9, "metrics": {}}', line(3)]))
    lines.complete(log)
    lines.complete(log)
    assert [p.step for p in seen] == [0, 1, 2, 3]


def test_a_log_that_leads_elsewhere_or_is_absent_completes_nothing(tmp_path):
    seen = []
    (tmp_path / "other").write_bytes(line(1))
    (tmp_path / "train.log").symlink_to(tmp_path / "other")
    ProgressLines(seen.append).complete(tmp_path / "train.log")
    ProgressLines(seen.append).complete(tmp_path / "absent")
    assert seen == []


def test_a_trial_that_says_more_than_is_remembered_is_not_told_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "MOST_REMEMBERED", 3)
    seen = []
    lines = ProgressLines(seen.append)
    for step in range(5):
        lines.take(line(step))
    (tmp_path / "train.log").write_bytes(b"\n".join(line(step) for step in range(6)))
    lines.complete(tmp_path / "train.log")
    assert [p.step for p in seen] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "words", [b'{"step": 1, "metrics": {}}', b"AB_PROGRESS", b"AB_PROGRESS []", b"AB_PROGRESS {}"]
)
def test_what_is_not_a_progress_line_is_nothing(words):
    assert parse_progress(words) is None

"""A trial's output is hostile input: bounded, no links, no unknown ids, nothing non-finite."""

import os

import pytest

from auto_benchmark.artifacts.trial_output import OutputError, read_bounded, read_metrics, read_predictions
from auto_benchmark.contract.trial import FailureClass

ROW = '{"id": "a", "answer": "x"}\n'


@pytest.mark.parametrize(
    ("text", "failure", "words"),
    [
        ("", FailureClass.NO_RESULT, "empty"),
        ("not json\n", FailureClass.BAD_OUTPUT, "predictions.jsonl:1"),
        (ROW + '{"id": "b"}\n', FailureClass.BAD_OUTPUT, "predictions.jsonl:2"),
        (ROW + ROW, FailureClass.BAD_OUTPUT, "answered twice"),
        ('{"id": "zzz", "answer": 1}\n', FailureClass.BAD_OUTPUT, "no item"),
        ('{"id": "a", "answer": NaN}\n', FailureClass.BAD_OUTPUT, "predictions.jsonl:1"),
        ('{"id": 3, "answer": 1}\n', FailureClass.BAD_OUTPUT, "no item"),
        ("[" * 100_000, FailureClass.BAD_OUTPUT, "predictions.jsonl:1"),
        ('{"id": "a", "answer": "' + "y" * 100_001 + '"}', FailureClass.BAD_OUTPUT, "characters"),
        ("\x00\x01\x02\n", FailureClass.BAD_OUTPUT, "predictions.jsonl:1"),
    ],
)
def test_bad_predictions_are_classed_and_located(tmp_path, text, failure, words):
    (tmp_path / "predictions.jsonl").write_text(text)
    with pytest.raises(OutputError, match=words) as caught:
        read_predictions(tmp_path, {"a", "b"})
    assert caught.value.failure is failure


def test_missing_items_stay_absent_and_blank_lines_are_skipped(tmp_path):
    (tmp_path / "predictions.jsonl").write_text("\n" + ROW + "\n\n")
    assert read_predictions(tmp_path, {"a", "b"}) == {"a": "x"}


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"metrics": {"a": NaN}}', '{"metrics": {"a": true}}', '{"metrics": {"a": {"b": 1}}}']
)
def test_bad_metrics_are_refused(tmp_path, text):
    (tmp_path / "metrics.json").write_text(text)
    with pytest.raises(OutputError) as caught:
        read_metrics(tmp_path)
    assert caught.value.failure is FailureClass.BAD_OUTPUT


def test_links_pipes_and_oversized_files_are_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(ROW)
    (tmp_path / "soft").symlink_to(secret)
    os.link(secret, tmp_path / "hard")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").write_bytes(b"x" * 101)
    for name in ("soft", "hard", "pipe", "big"):
        with pytest.raises(OutputError):
            read_bounded(tmp_path / name, 100)
    with pytest.raises(OutputError) as caught:
        read_bounded(tmp_path / "absent", 100)
    assert caught.value.failure is FailureClass.NO_RESULT

"""A trial's output is hostile input: bounded, no links, no unknown ids, nothing non-finite."""

import json
import os
import tracemalloc

import pytest

from auto_benchmark.artifacts import trial_output
from auto_benchmark.artifacts.trial_output import (
    OutputError,
    check_tree,
    read_bounded,
    read_metrics,
    read_predictions,
)
from auto_benchmark.contract.failure import FailureClass

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


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("1" + "0" * 400, "beyond 1e.100"),
        ("-1e101", "beyond 1e.100"),
        ("[" + "[]," * 10_000 + "1]", "values"),
        ("[" * 17 + "]" * 17, "levels"),
        ('["' + "y" * 60_000 + '", "' + "z" * 60_000 + '"]', "characters"),
        ('{"' + "y" * 100_001 + '": 1}', "characters"),
        ('"' + "y" * 1_500_000 + '"', "line of more"),
    ],
)
def test_an_answer_is_bounded(tmp_path, answer, words):
    (tmp_path / "predictions.jsonl").write_text(f'{{"id": "a", "answer": {answer}}}\n')
    with pytest.raises(OutputError, match=words) as caught:
        read_predictions(tmp_path, {"a"})
    assert caught.value.failure is FailureClass.BAD_OUTPUT


def test_all_answers_together_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(trial_output, "MOST_VALUES_IN_ALL", 100)
    ids = [str(n) for n in range(5)]
    (tmp_path / "predictions.jsonl").write_text("".join(f'{{"id": "{i}", "answer": {[1] * 30}}}\n' for i in ids))
    with pytest.raises(OutputError, match=r"predictions.jsonl:4: more than 100 values"):
        read_predictions(tmp_path, set(ids))


def test_a_bomb_of_brackets_takes_no_memory(tmp_path):
    """Read as a whole, 30 MB of empty lists would take 600 MB."""
    with (tmp_path / "predictions.jsonl").open("wb") as file:
        file.write(b'{"id": "a", "answer": [')
        for _ in range(10):
            file.write(b"[]," * 1_000_000)
        file.write(b"[]]}\n")
    tracemalloc.start()
    try:
        with pytest.raises(OutputError, match="line of more"):
            read_predictions(tmp_path, {"a"})
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()


def test_what_no_store_takes_in_an_answer_becomes_a_replacement_character(tmp_path):
    row = json.dumps({"id": "a", "answer": {"k\ud83e": ["x\0", "\ud83e\udd47", 1.5, None, True]}})
    (tmp_path / "predictions.jsonl").write_text(row)
    assert read_predictions(tmp_path, {"a"}) == {"a": {"k\ufffd": ["x\ufffd", "\U0001f947", 1.5, None, True]}}


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\x0c"])
def test_predictions_end_at_newlines_alone(tmp_path, separator):
    (tmp_path / "predictions.jsonl").write_text(
        f'\ufeff{{"id": "a", "answer": "x{separator}y"}}\n'.replace("\x0c", " ")
    )
    assert list(read_predictions(tmp_path, {"a"})) == ["a"]


NAMES = [
    "val-aux/reward/mean@1", "metrics/mAP50(B)", "timing(s)/gen", "gpu:0 mem(%)", "recall@10", "f1 score", "précision",
    "val//loss", "/loss", "loss/", "best/../last", "./now", "huber_loss[delta=1.3]", "a,b", "x" * 200,
]  # fmt: skip


def test_names_that_people_use_are_taken(tmp_path):
    (tmp_path / "metrics.json").write_text(json.dumps({"metrics": dict.fromkeys(NAMES, -1.5)}))
    assert read_metrics(tmp_path) == dict.fromkeys(NAMES, -1.5)


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "a\nb", "<b>", "a|b", "`a`", "a\u200bb", "a\u202eb", "x" * 201, "$(a)"]
)
def test_names_with_another_meaning_somewhere_are_refused(tmp_path, name):
    (tmp_path / "metrics.json").write_text(json.dumps({"metrics": {name: 1.0}}))
    with pytest.raises(OutputError, match=r"metrics.json: .*name"):
        read_metrics(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("latency_ms", 0, False), ("latency", -1, False), ("decode/latency_ms", 0, False), ("memory_mb", 0, False),
        ("index_bytes", 0, False), ("train_s", 0, True), ("train_s", -0.1, False), ("loss", -3, True), ("cost", 0, True),
        ("accuracy", 0, True), ("reward_min", -1, True), ("latency_ms", 1e-9, True), ("peak_memory", 0, False),
    ],
)  # fmt: skip
def test_a_time_or_a_size_is_above_zero(tmp_path, name, value, taken):
    """A phase that was left out took no time: a checkpoint that answers again has not trained."""
    (tmp_path / "metrics.json").write_text(json.dumps({"metrics": {name: value}}))
    if taken:
        assert read_metrics(tmp_path) == {name: float(value)}
        return
    with pytest.raises(OutputError, match="above zero"):
        read_metrics(tmp_path)


def test_a_guarded_time_is_above_zero(tmp_path):
    (tmp_path / "metrics.json").write_text('{"metrics": {"train_s": 0}}')
    assert read_metrics(tmp_path) == {"train_s": 0.0}
    with pytest.raises(OutputError, match="above zero"):
        read_metrics(tmp_path, guarded={"train_s"})


def test_a_tree_is_looked_through_before_anything_of_it_is_read(tmp_path):
    check_tree(tmp_path)
    place = tmp_path
    for _ in range(33):
        place = place / "d"
        place.mkdir()
    with pytest.raises(OutputError, match="the output holds more than 32 folders") as caught:
        check_tree(tmp_path)
    assert caught.value.failure is FailureClass.BAD_OUTPUT

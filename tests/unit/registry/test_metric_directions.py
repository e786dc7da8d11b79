"""Directions of metrics: well known, or not known at all."""

import pytest

from auto_benchmark.registry.metric_directions import direction_of


@pytest.mark.parametrize(
    "name",
    [
        "macro_f1",
        "Accuracy",
        "recall@5",
        "top-1 accuracy",
        "auc",
        "tokens_per_second",
        "pass@1",
        "ndcg_10",
        "worst_slice",
    ],
)
def test_more_is_better(name):
    assert direction_of(name) is True


@pytest.mark.parametrize(
    "name", ["latency_ms", "peak_memory_mb", "perplexity", "val_loss", "seconds_per_step", "cost_per_token", "wer",
             "errors_per_hour", "recall_latency_ms", "slice_gap"],
)  # fmt: skip
def test_less_is_better(name):
    assert direction_of(name) is False


@pytest.mark.parametrize(
    "name", ["wobble", "neg_mean_squared_error", "accuracy_drop", "accuracy_std", "memory_recall", "recall_error",
             "score", "", "per", "size"],
)  # fmt: skip
def test_what_is_not_known_is_not_guessed(name):
    assert direction_of(name) is None

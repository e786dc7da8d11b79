"""Accuracy."""

from auto_benchmark.contract.scoring import Scores


def score(predictions, answers):
    items = {key: float(predictions.get(key) == truth["answer"]) for key, truth in answers.items()}
    return Scores(metrics={"accuracy": sum(items.values()) / len(items)}, items={"accuracy": items})

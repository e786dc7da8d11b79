"""Standard metrics as a scorer: computed by scikit-learn, each with per-item values whose mean is the metric.

The gate compares items, so every metric needs a value per item. Where a metric is not a mean over items (F1 over classes,
a root, a share of variance), an item's value is ``metric + (n - 1) * (mean(loo) - loo_i)`` with ``loo_i`` the metric
without item i: the jackknife's pseudo-values (Tukey 1958; Efron & Tibshirani 1993, ch. 11), moved so that their mean is
the metric itself. Their variance over n estimates the metric's variance over items.
"""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auto_benchmark.contract.scoring import Scores
from auto_benchmark.registry.standard_metrics import STANDARD, Answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Result = tuple[float, Sequence[float]]
"""A metric, and its value per item."""
UNANSWERED = "\0"
"""The label of an item without a prediction: wrong, and no class of its own."""
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


class StandardScorer:
    """Computes standard metrics.

    Args:
        metrics: names from :data:`STANDARD` that need the same kind of answers.
    """

    def __init__(self, metrics: Sequence[str]) -> None:
        self._metrics = tuple(metrics)

    def score(self, predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
        """Grade predictions over all items, and over each slice that the answers name.

        Raises:
            ValueError: a metric over numbers, and an item whose prediction is none.
        """
        ids = list(answers)
        slices = dict[str, list[str]]()
        for item in ids:
            if (name := answers[item].get("slice")) is not None:
                slices.setdefault(name, []).append(item)
        found = self._scored(ids, predictions, answers)
        return Scores(
            metrics={name: value for name, (value, _) in found.items()},
            items={name: dict(zip(ids, map(float, items), strict=True)) for name, (_, items) in found.items()},
            slices={
                part: {name: value for name, (value, _) in self._scored(inside, predictions, answers).items()}
                for part, inside in sorted(slices.items())
            },
        )

    def _scored(
        self, ids: Sequence[str], predictions: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, Result]:
        truth = [answers[item]["answer"] for item in ids]
        given = [predictions.get(item) for item in ids]
        kind = STANDARD[self._metrics[0]].answers
        if kind is Answers.NUMBER:
            true_numbers, numbers = _numbers(truth, "answers"), _numbers(given, "predictions")
            return {name: _OF_NUMBERS[name](true_numbers, numbers) for name in self._metrics}
        if kind is Answers.TEXT:
            return {name: _mean([_best(_OF_TEXTS[name], g, t) for g, t in zip(given, truth, strict=True)])
                    for name in self._metrics}  # fmt: skip
        labels = [UNANSWERED if g is None else label(g) for g in given]
        return {name: _OF_LABELS[name]([label(t) for t in truth], labels) for name in self._metrics}


def label(value: Any) -> str:
    """A label as text: ``1``, ``1.0`` and ``"1"`` are one label, as are ``true`` and ``"true"``."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def jackknifed(value: float, without: Sequence[float] | Vector) -> list[float]:
    """Values per item whose mean is ``value``, from the metric without each item."""
    n = len(without)
    if n < 2:
        return [value] * n
    mean = math.fsum(without) / n
    return [value + (n - 1) * (mean - float(one)) for one in without]


def _mean(items: Sequence[float]) -> Result:
    return math.fsum(items) / len(items), items


# Labels


def _accuracy(truth: list[str], given: list[str]) -> Result:
    from sklearn.metrics import accuracy_score

    return float(accuracy_score(truth, given)), [float(t == g) for t, g in zip(truth, given, strict=True)]


def _balanced_accuracy(truth: list[str], given: list[str]) -> Result:
    from sklearn.metrics import recall_score

    classes = sorted(set(truth))
    value = float(recall_score(truth, given, labels=classes, average="macro", zero_division=0))
    rows, right = Counter(truth), Counter(t for t, g in zip(truth, given, strict=True) if t == g)
    total = math.fsum(right[c] / rows[c] for c in classes)

    def without(true: str, said: str) -> float:
        left = rows[true] - 1
        others = total - right[true] / rows[true]
        if left == 0:
            return others / (len(classes) - 1) if len(classes) > 1 else value
        return (others + (right[true] - (true == said)) / left) / len(classes)

    return value, jackknifed(value, [without(t, g) for t, g in zip(truth, given, strict=True)])


def _f1(average: str) -> Callable[[list[str], list[str]], Result]:
    def computed(truth: list[str], given: list[str]) -> Result:
        from sklearn.metrics import f1_score

        classes = sorted({*truth, *given} - {UNANSWERED})
        value = float(f1_score(truth, given, labels=classes, average=average, zero_division=0))
        counts = _Counts(truth, given)
        known = dict[tuple[str, str], float]()
        for pair in zip(truth, given, strict=True):
            if pair not in known:
                known[pair] = counts.without(*pair, average=average)
        return value, jackknifed(value, [known[pair] for pair in zip(truth, given, strict=True)])

    return computed


class _Counts:
    """Per class: how often it is true, said, and both; F1 = 2 both / (true + said)."""

    def __init__(self, truth: list[str], given: list[str]) -> None:
        self.true, self.said = Counter(truth), Counter(g for g in given if g != UNANSWERED)
        self.both = Counter(t for t, g in zip(truth, given, strict=True) if t == g)
        self.classes = sorted({*self.true, *self.said})
        self.f1_sum = math.fsum(map(self._f1, self.classes))
        self.weighted_sum = math.fsum(self.true[c] * self._f1(c) for c in self.classes)

    def without(self, true: str, said: str, *, average: str) -> float:
        """F1 without one item of this kind."""
        if average == "micro":
            n, answered = self.true.total() - 1, self.said.total() - (said != UNANSWERED)
            return 2 * (self.both.total() - (true == said)) / (n + answered) if n + answered else 0.0
        touched = {true, said} - {UNANSWERED}
        before = math.fsum(self._f1(c) for c in touched)
        weighted_before = math.fsum(self.true[c] * self._f1(c) for c in touched)
        self._move(true, said, -1)
        after = math.fsum(self._f1(c) for c in touched)
        weighted = self.weighted_sum - weighted_before + math.fsum(self.true[c] * self._f1(c) for c in touched)
        gone = sum(1 for c in touched if not self.true[c] + self.said[c])
        n = self.true.total()
        self._move(true, said, 1)
        if average == "weighted":
            return weighted / n if n else 0.0
        left = len(self.classes) - gone
        return (self.f1_sum - before + after) / left if left else 0.0

    def _move(self, true: str, said: str, by: int) -> None:
        self.true[true] += by
        if said != UNANSWERED:
            self.said[said] += by
        if true == said:
            self.both[true] += by

    def _f1(self, name: str) -> float:
        found = self.true[name] + self.said[name]
        return 2 * self.both[name] / found if found else 0.0


# Texts


def words(value: object) -> list[str]:
    """Words of an answer as SQuAD's evaluation compares them: lower case, no punctuation, no articles."""
    text = "" if value is None else label(value)
    return _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _exact(given: list[str], true: list[str]) -> float:
    return float(given == true)


def _token_f1(given: list[str], true: list[str]) -> float:
    if not given or not true:
        return float(given == true)
    same = (Counter(given) & Counter(true)).total()
    return 2 * same / (len(given) + len(true))


def _best(compare: Callable[[list[str], list[str]], float], given: object, truth: object) -> float:
    """Against the best of several right answers; nothing said is wrong, even where nothing is right."""
    if given is None:
        return 0.0
    return max(compare(words(given), words(one)) for one in (truth if isinstance(truth, list) else [truth]))


# Numbers


def _numbers(values: Sequence[Any], what: str) -> Vector:
    import numpy as np

    wrong = sum(isinstance(v, bool) or not isinstance(v, int | float) for v in values)
    if wrong:
        raise ValueError(f"{wrong} of {len(values)} {what} are missing or not a number")
    return np.asarray(values, dtype=float)


def _mean_squared_error(truth: Vector, given: Vector) -> Result:
    from sklearn.metrics import mean_squared_error

    return float(mean_squared_error(truth, given)), ((truth - given) ** 2).tolist()


def _mean_absolute_error(truth: Vector, given: Vector) -> Result:
    from sklearn.metrics import mean_absolute_error

    return float(mean_absolute_error(truth, given)), abs(truth - given).tolist()


def _root_mean_squared_error(truth: Vector, given: Vector) -> Result:
    from sklearn.metrics import root_mean_squared_error

    value, squares = float(root_mean_squared_error(truth, given)), (truth - given) ** 2
    left = (squares.sum() - squares).clip(min=0) / max(1, len(squares) - 1)
    return value, jackknifed(value, left**0.5)


def _r2(truth: Vector, given: Vector) -> Result:
    """1 - squared errors / squared distances from the mean; of equal truths 1 where all is right, else 0."""
    import numpy as np
    from sklearn.metrics import r2_score

    n = len(truth)
    if n < 2:
        return 0.0, [0.0] * n
    value, squares, centred = float(r2_score(truth, given)), (truth - given) ** 2, truth - truth.mean()
    errors = (squares.sum() - squares).clip(min=0)
    spread = (centred**2).sum() - centred**2 * n / (n - 1)
    flat = spread <= 1e-12 * (1 + (centred**2).sum())
    share = errors / np.where(flat, 1.0, spread)
    return value, jackknifed(value, np.where(flat, (errors <= 0).astype(float), 1 - share))


_OF_LABELS: dict[str, Callable[[list[str], list[str]], Result]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    **{f"{average}_f1": _f1(average) for average in ("macro", "micro", "weighted")},
}
_OF_TEXTS: dict[str, Callable[[list[str], list[str]], float]] = {"exact_match": _exact, "token_f1": _token_f1}
_OF_NUMBERS: dict[str, Callable[[Vector, Vector], Result]] = {
    **dict.fromkeys(("mean_squared_error", "mse"), _mean_squared_error),
    **dict.fromkeys(("mean_absolute_error", "mae"), _mean_absolute_error),
    **dict.fromkeys(("root_mean_squared_error", "rmse"), _root_mean_squared_error),
    "r2": _r2,
}

"""Classifiers of scikit-learn that learn each form from examples: programs of others, with the library's defaults."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.candidates.features import vectors
from auto_benchmark.construction.item import Asked


@dataclass(frozen=True, slots=True)
class Learner:
    """One of the library's classifiers; an answer that stands in no example is out of its reach.

    Attributes:
        build: makes the classifier for a number of examples.
        characters: whether it reads character sequences instead of words.
    """

    name: str
    build: Callable[[int], Any]
    characters: bool = False
    kind: Kind = Kind.EXTERNAL
    modalities: frozenset[str] = frozenset({"text", "picture", "sound"})
    sources: frozenset[str] = frozenset()

    @property
    def version(self) -> str:
        """Of the library."""
        from importlib.metadata import version

        return f"scikit-learn {version('scikit-learn')}"

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Fit on the examples, predict the rest; one known answer is everybody's answer."""
        answers = [str(key) for _, key in examples]
        if len(set(answers)) < 2:
            return [answers[0] if answers else None] * len(asked)
        known, new = vectors([a for a, _ in examples], asked, characters=self.characters)
        with warnings.catch_warnings():  # about answers that occur once; an open question has many
            warnings.simplefilter("ignore")
            return [str(label) for label in self.build(len(examples)).fit(known, answers).predict(new)]


def _neighbours(k: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(k, metric="cosine", algorithm="brute")


def _one_neighbour(_: int) -> Any:
    return _neighbours(1)


def _seven_neighbours(examples: int) -> Any:
    return _neighbours(min(7, examples))


def _logistic(_: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=10, max_iter=200)


def _ridge(_: int) -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


def _support_vectors(_: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC()


def _naive_bayes(_: int) -> Any:
    from sklearn.naive_bayes import BernoulliNB

    return BernoulliNB()


def _centroid(_: int) -> Any:
    from sklearn.neighbors import NearestCentroid

    return NearestCentroid()


def _forest(_: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(60, random_state=0)


def _trees(_: int) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(60, random_state=0)


def _tree(_: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


LEARNERS: tuple[Candidate, ...] = (
    Learner("nearest_neighbour", _one_neighbour),
    Learner("seven_neighbours", _seven_neighbours),
    Learner("logistic_regression", _logistic),
    Learner("ridge", _ridge),
    Learner("support_vectors", _support_vectors),
    Learner("support_vectors_characters", _support_vectors, characters=True),
    Learner("naive_bayes", _naive_bayes),
    Learner("nearest_centroid", _centroid),
    Learner("random_forest", _forest),
    Learner("extra_trees", _trees),
    Learner("decision_tree", _tree),
)

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
        build: makes the classifier.
        characters: whether it reads character sequences instead of words.
    """

    name: str
    build: Callable[[], Any]
    characters: bool = False
    kind: Kind = Kind.EXTERNAL
    modalities: frozenset[str] = frozenset({"text", "picture", "sound"})

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
            return [str(label) for label in self.build().fit(known, answers).predict(new)]


def _neighbours(k: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(k, metric="cosine", algorithm="brute")


def _few_neighbours() -> Any:
    return _neighbours(1)


def _many_neighbours() -> Any:
    return _neighbours(7)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=10, max_iter=200)


def _ridge() -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


def _support_vectors() -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC()


def _naive_bayes() -> Any:
    from sklearn.naive_bayes import BernoulliNB

    return BernoulliNB()


def _centroid() -> Any:
    from sklearn.neighbors import NearestCentroid

    return NearestCentroid()


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(60, random_state=0)


def _trees() -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(60, random_state=0)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


LEARNERS: tuple[Candidate, ...] = (
    Learner("nearest_neighbour", _few_neighbours),
    Learner("seven_neighbours", _many_neighbours),
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

"""Fits what the cues of credit weigh: two passes of logistic regression, then what each kind of cue is worth.

A phrase counts as right when it means a technique that both readers call clear, and as wrong when it means nothing that
either of them wrote down; phrases of open labels are left out. The second pass keeps, of all places that name a right
technique, those that the first pass finds credited, and the best one: a technique is credited somewhere, not wherever it
is named. Rare cues look surer than they are on the texts that they were learnt from, some kinds more than others: so a
last regression asks, on texts that a fit has not seen, how much the sum of each kind of cue, for and against, is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from auto_benchmark.research.credit import CreditedPhrase, Weights

STRENGTH = 0.4
STRENGTH_OF_KINDS = 0.03
OF_SENTENCES = 0.15
"""What a phrase of a single sentence counts beside one of a whole abstract."""
RAREST = 4
"""Phrases that a cue must be seen in."""
LIGHTEST = 0.04
"""Weights below are left out."""
PARTS = 5
_LONG_KINDS = (
    "near left", "before governor", "title behind", "title before", "known:", "in title", "from own", "text ",
    "sentence ", "ends as",
)  # fmt: skip


@dataclass
class Labelled:
    """One abstract: its labels, its phrases, and for each phrase the clear labels that it means, or None for an open one."""

    row: dict[str, object]
    phrases: list[CreditedPhrase]
    means: list[frozenset[int] | None]


@dataclass(frozen=True)
class Table:
    """Phrases as rows, cues as columns.

    Attributes:
        cues: rows by columns, 1.0 where a phrase has a cue.
        text: index of the abstract of each row; ascending.
        means: what each row means.
    """

    cues: sparse.csr_matrix
    text: np.ndarray
    means: list[frozenset[int] | None]

    @cached_property
    def judged(self) -> np.ndarray:
        """Rows that are right or wrong."""
        return np.array([m is not None for m in self.means], bool)

    @cached_property
    def right(self) -> np.ndarray:
        """Rows that mean a clear technique."""
        return np.array([bool(m) for m in self.means], bool)


@dataclass(frozen=True)
class Fit:
    """Log-odds by column, and without any cue."""

    by_column: np.ndarray
    bias: float

    def odds(self, cues: sparse.csr_matrix) -> np.ndarray:
        """Log-odds of each row."""
        return np.asarray(cues @ self.by_column).ravel() + self.bias


class Fitter:
    """Abstracts and their single sentences in one set of columns, to be fitted on any part of the abstracts."""

    def __init__(self, read: Sequence[Labelled], apart: Sequence[Labelled]) -> None:
        counts = CountVectorizer(analyzer=attrgetter("cues"), min_df=RAREST, binary=True)
        phrases = [phrase for some in (read, apart) for one in some for phrase in one.phrases]
        cues = counts.fit_transform(phrases).astype(float).tocsr()
        split = sum(len(one.phrases) for one in read)
        self.whole, self.single = _table(read, cues[:split]), _table(apart, cues[split:])
        self.names = counts.get_feature_names_out()
        kinds = [kind_of(name) for name in self.names]
        self.kinds = sorted(set(kinds))
        ones, columns = np.ones(len(kinds)), [self.kinds.index(kind) for kind in kinds]
        self._by_kind = sparse.csr_matrix((ones, (np.arange(len(kinds)), columns)))

    def fit(self, texts: np.ndarray) -> Fit:
        """Weights learnt from the abstracts with these indices."""
        once = self._two_passes(texts)
        part = np.random.default_rng(0).permutation(len(texts)) % PARTS
        sums = np.zeros((len(self.whole.text), 2 * len(self.kinds)))
        odds = np.zeros(len(self.whole.text))
        for n in range(PARTS):
            other, held = self._two_passes(texts[part != n]), np.isin(self.whole.text, texts[part == n])
            sums[held] = self._sums(other, held)
            odds[held] = other.odds(self.whole.cues[held])
        kept = self._credited_places(odds, texts)
        worth, bias = _worth(sums[kept], self.whole.right[kept])
        speaks_for, against = worth[: len(self.kinds)], worth[len(self.kinds) :]
        factor = np.where(once.by_column > 0, self._by_kind @ speaks_for, self._by_kind @ against)
        return Fit(once.by_column * factor, bias)

    def weights(self, fit: Fit, threshold: float) -> Weights:
        """As the package reads them."""
        pairs = zip(self.names, fit.by_column, strict=True)
        held = {name: round(float(weight), 3) for name, weight in pairs if abs(weight) >= LIGHTEST}
        return Weights(held, fit.bias, threshold)

    def _two_passes(self, texts: np.ndarray) -> Fit:
        inside = np.isin(self.whole.text, texts)
        first = _regression(self.whole.cues, self.whole.right, inside & self.whole.judged)
        kept = self._credited_places(first.odds(self.whole.cues), texts)
        single = np.isin(self.single.text, texts) & self.single.judged
        cues = sparse.vstack([self.whole.cues[kept], self.single.cues[single]])
        right = np.r_[self.whole.right[kept], self.single.right[single]]
        counted = np.r_[np.ones(kept.sum()), np.full(single.sum(), OF_SENTENCES)]
        return _regression(cues, right, np.ones(len(right), bool), counted)

    def _credited_places(self, odds: np.ndarray, texts: np.ndarray) -> np.ndarray:
        """Rows of these texts that are wrong, credited, or the best place of what they mean."""
        table = self.whole
        kept = np.isin(table.text, texts) & table.judged
        best: dict[tuple[int, frozenset[int]], int] = {}
        for row in np.flatnonzero(kept & table.right):
            key = int(table.text[row]), table.means[row] or frozenset()
            if key not in best or odds[row] > odds[best[key]]:
                best[key] = int(row)
        chosen = np.isin(np.arange(len(odds)), list(best.values()))
        return kept & (~table.right | chosen | (odds > 0))

    def _sums(self, fit: Fit, rows: np.ndarray) -> np.ndarray:
        """What each kind of cue says for, and against, in these rows."""
        said = self.whole.cues[rows].multiply(fit.by_column).tocsr()
        return np.hstack([(part @ self._by_kind).toarray() for part in (said.maximum(0), said.minimum(0))])


def kind_of(cue: str) -> str:
    """``governor using`` -> ``governor``; cues with no words of their own are a kind each."""
    if " > " in cue:
        return "left with ending"
    return next((kind for kind in _LONG_KINDS if cue.startswith(kind)), cue.split(maxsplit=1)[0])


def _regression(
    cues: sparse.csr_matrix, right: np.ndarray, rows: np.ndarray, counted: np.ndarray | None = None
) -> Fit:
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit(cues[rows], right[rows], counted)
    return Fit(model.coef_[0], float(model.intercept_[0]))


def _worth(sums: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    """How much each sum is worth, and the bias.

    Never less than nothing, since no cue may turn into its contrary; what these rows do not show stays as it is.
    """
    used = sums.any(axis=0)
    whole = np.where(used, 0.0, 1.0)
    while True:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH_OF_KINDS, max_iter=3000))
        model.fit(sums[:, used], right)
        worth = model[1].coef_[0] / model[0].scale_
        if (worth >= 0).all():
            whole[used] = worth
            return whole, float(model[1].intercept_[0] - model[0].mean_ @ worth)
        used[np.flatnonzero(used)[worth < 0]] = False


def _table(some: Sequence[Labelled], cues: sparse.csr_matrix) -> Table:
    text = np.concatenate([np.full(len(one.phrases), n) for n, one in enumerate(some)])
    return Table(cues, text, [meant for one in some for meant in one.means])

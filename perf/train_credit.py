"""Learns what the cues of credit weigh, from the labelled abstracts, and writes research/credit_weights.json.

    PYTHONPATH=include:plugins .venv/bin/python perf/train_credit.py [--store]

Logistic regression (scikit-learn) on the training sets of tests/research_readings.jsonl. A phrase counts as right when
it means a technique that both readers call clear, and as wrong when it means nothing that either of them wrote down;
phrases of open labels are left out. A second pass keeps, of all places that name a right technique, those that the
first pass finds credited, and the best one: a technique is credited somewhere, not wherever it is named. Six parts, each
read with weights of the other five, give the table of precision and recall by threshold. The sealed sets are not read.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from research_extraction import READER, ROOT, Count, labelled, same, score_techniques, texts_by_id
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from auto_benchmark.research.credit import Candidate, Weights, candidates, choose
from auto_benchmark.research.text import sentences, title_sentence
from auto_benchmark.research.voice import is_first_person, own_voice

STORED = ROOT / "include" / "auto_benchmark" / "research" / "credit_weights.json"
PARTS = 6
STRENGTH = 0.4
OF_SENTENCES = 0.15
"""What a phrase of a single sentence counts beside one of a whole abstract."""
RAREST = 4
"""Phrases that a cue must be seen in."""
LIGHTEST = 0.06
"""Weights below are left out."""


@dataclass
class Labelled:
    """One abstract: its labels, its phrases, and for each phrase the clear labels that it means, or None for an open one."""

    row: dict[str, object]
    phrases: list[Candidate]
    means: list[frozenset[int] | None]


def main() -> None:
    """Print the table, and store the weights of the whole set."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--store", action="store_true")
    arguments.add_argument(
        "--threshold", type=float, default=0.7, help="probability from which on a phrase is credited"
    )
    given = arguments.parse_args()
    texts = texts_by_id()
    read = [read_one(texts[row["id"]], row) for row in labelled("training, new", "training")]
    apart = [sentences_apart(texts[one.row["id"]], one.row) for one in read]
    unseen = {one.row["id"] for one in read if one.row["set"] == "training, new"}
    print(f"{len(read)} abstracts, {sum(len(r.phrases) for r in read)} phrases")
    folds = [learn(*(_others(part, some) for some in (read, apart)), 0.0) for part in range(PARTS)]
    for probability in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        whole, part = Count(), Count()
        for i, one in enumerate(read):
            held = folds[i % PARTS]
            found = choose(one.phrases, Weights(held.by_cue, held.bias, logit(probability)))
            names = [[t.name, t.words] for t in found]
            score_techniques(whole, names, one.row, verbose=False)
            if one.row["id"] in unseen:
                score_techniques(part, names, one.row, verbose=False)
        print(f"{probability:.2f}  all {whole}  | never seen by any rule: {part}")
    if given.store:
        learnt = learn(read, apart, logit(given.threshold))
        held = {"threshold": round(learnt.threshold, 4), "reach": reach(read, learnt), "bias": round(learnt.bias, 4),
                "weights": learnt.by_cue}  # fmt: skip
        STORED.write_text(json.dumps(held, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{len(learnt.by_cue)} weights, {STORED.stat().st_size / 1024:.0f} KiB")


def _others(part: int, some: Sequence[Labelled]) -> list[Labelled]:
    return [one for i, one in enumerate(some) if i % PARTS != part]


def logit(probability: float) -> float:
    """Log-odds."""
    return math.log(probability / (1 - probability))


def reach(read: Sequence[Labelled], weights: Weights) -> float:
    """The smallest half log-odds with which at most one credited phrase in two hundred is given up before its time."""
    before = np.array([_before(p, weights) for one in read for p in one.phrases])
    after = before + np.array([weights.sum(p.around) for one in read for p in one.phrases])
    credited = after >= weights.threshold
    steps = np.arange(0.5, 10, 0.5)
    return float(next(s for s in steps if np.mean(before[credited] < weights.threshold - s) <= 5e-3))


def _before(one: Candidate, weights: Weights) -> float:
    return weights.bias + weights.sum(one.of_sentence) + weights.sum(one.of_phrase)


def read_one(text: dict[str, str], row: dict[str, object]) -> Labelled:
    """The phrases of one abstract, and what each means."""
    title, read = title_sentence(text["title"]), sentences(text["abstract"])
    own = own_voice(title, read)
    phrases = list(candidates(title, read, own, READER.matcher.mentions(title, read)))
    labels = [(label.lstrip("? ").split(" | "), label.startswith("?")) for label in row["techniques"]]
    return Labelled(row, phrases, [_meaning(phrase, labels) for phrase in phrases])


def sentences_apart(text: dict[str, str], row: dict[str, object]) -> Labelled:
    """Each sentence of the authors read as a text of its own, as notes and reports of one sentence are."""
    apart = Labelled(row, [], [])
    for sentence in sentences(text["abstract"]):
        if is_first_person(sentence):
            one = read_one({"title": "", "abstract": sentence.quote}, row)
            apart.phrases += one.phrases
            apart.means += one.means
    return apart


def _meaning(one: Candidate, labels: Sequence[tuple[list[str], bool]]) -> frozenset[int] | None:
    mention = one.phrase.mention
    names = [one.phrase.name, *([mention.technique.name] if mention else [])]
    met = [n for n, (label, _) in enumerate(labels) if any(same(name, other) for name in names for other in label)]
    clear = frozenset(n for n in met if not labels[n][1])
    return None if met and not clear else clear


def learn(read: Sequence[Labelled], apart: Sequence[Labelled], threshold: float) -> Weights:
    """Two passes of logistic regression."""
    everywhere = fit([pair for one in read for pair in _judged(one)], [])
    pairs = [pair for one in read for pair in _credited_places(one, everywhere)]
    learnt = fit(pairs, [pair for one in apart for pair in _judged(one)])
    return Weights(learnt.by_cue, learnt.bias, threshold)


def _judged(one: Labelled) -> list[tuple[Candidate, bool]]:
    return [(p, bool(m)) for p, m in zip(one.phrases, one.means, strict=True) if m is not None]


def _credited_places(one: Labelled, weights: Weights) -> list[tuple[Candidate, bool]]:
    odds = [_before(p, weights) + weights.sum(p.around) for p in one.phrases]
    best: dict[frozenset[int], int] = {}
    for n, means in enumerate(one.means):
        if means and (means not in best or odds[n] > odds[best[means]]):
            best[means] = n
    kept = set(best.values())
    return [
        (phrase, bool(means))
        for n, (phrase, means) in enumerate(zip(one.phrases, one.means, strict=True))
        if means is not None and (not means or n in kept or odds[n] > 0)
    ]


def fit(pairs: Sequence[tuple[Candidate, bool]], apart: Sequence[tuple[Candidate, bool]]) -> Weights:
    """Weights of one pass; single sentences count little, so that they decide only what whole texts leave open."""
    counts = CountVectorizer(analyzer=_cues_of, min_df=RAREST)
    seen = counts.fit_transform([phrase for phrase, _ in (*pairs, *apart)])
    counted = np.r_[np.ones(len(pairs)), np.full(len(apart), OF_SENTENCES)]
    right = np.array([right for _, right in (*pairs, *apart)])
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit(seen, right, counted)
    names = counts.get_feature_names_out()
    held = {name: round(float(w), 3) for name, w in zip(names, model.coef_[0], strict=True) if abs(w) >= LIGHTEST}
    return Weights(held, float(model.intercept_[0]), 0.0)


def _cues_of(one: Candidate) -> list[str]:
    return [*one.of_sentence, *one.of_phrase, *one.around]


if __name__ == "__main__":
    main()

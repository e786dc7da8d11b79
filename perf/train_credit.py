"""Learns what the cues of credit weigh, from the labelled abstracts, and writes research/credit_weights.json.

    PYTHONPATH=include:plugins .venv/bin/python perf/train_credit.py [--texts FILE.jsonl] [--store]

Labels: tests/research_readings.jsonl (texts in the corpus) and perf/open_readings.jsonl (texts of the ACL Anthology and
of the Proceedings of Machine Learning Research, CC BY 4.0, named by id and title; --texts gives them as JSON lines with
id, title and abstract; without it those abstracts are left out). How weights are fitted stands in perf/credit_fit.py.
Six parts, each read with weights of the other five, give the table of precision and recall by threshold. The sealed
sets are not read.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from credit_fit import Fitter, Labelled
from research_extraction import (
    READER,
    ROOT,
    Count,
    agreed,
    json_lines,
    labelled,
    rule_gains,
    same,
    score_gains,
    score_techniques,
    texts_by_id,
)

from auto_benchmark.research.credit import CreditedPhrase, Weights, candidates, choose
from auto_benchmark.research.text import sentences, title_sentence
from auto_benchmark.research.voice import is_first_person, own_voice

STORED = ROOT / "include" / "auto_benchmark" / "research" / "credit_weights.json"
OPEN_READINGS = ROOT / "perf" / "open_readings.jsonl"
PARTS = 6
"""Of the table; each fit parts its own texts again (credit_fit.PARTS)."""


def main() -> None:
    """Print the table, and store the weights of the whole set."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--store", action="store_true")
    arguments.add_argument("--texts", type=Path, help="texts of perf/open_readings.jsonl")
    arguments.add_argument(
        "--threshold", type=float, default=0.7, help="probability from which on a phrase is credited"
    )
    given = arguments.parse_args()
    texts, rows = texts_by_id(), labelled("training, new", "training")
    if given.texts:
        texts, more = texts | {text["id"]: text for text in json_lines(given.texts)}, json_lines(OPEN_READINGS)
        rows += [agreed(row) for row in more if row["id"] in texts]
        print(
            f"{len(rows)} abstracts; of {len(more)} outside the corpus, {sum(row['id'] not in texts for row in more)} lack"
        )
    read = [read_one(texts[row["id"]], row) for row in rows]
    print_gains(texts, rows)
    fitter = Fitter(read, [sentences_apart(texts[one.row["id"]], one.row) for one in read])
    print(f"{len(read)} abstracts, {len(fitter.whole.text)} phrases, {len(fitter.names)} cues")
    everything = np.arange(len(read))
    held_out = [fitter.fit(everything[everything % PARTS != part]) for part in range(PARTS)]
    print_table(read, [fitter.weights(fit, 0.0) for fit in held_out])
    if given.store:
        store(read, fitter.weights(fitter.fit(everything), logit(given.threshold)))


def print_table(read: Sequence[Labelled], by_part: Sequence[Weights]) -> None:
    """Precision and recall by threshold, each part read with weights that did not learn from it."""
    sets = sorted({str(one.row["set"]) for one in read})
    for probability in (0.6, 0.65, 0.7, 0.725, 0.75, 0.775, 0.8):
        counts = {name: Count() for name in ("corpus", *sets)}
        for i, one in enumerate(read):
            held = by_part[i % PARTS]
            found = choose(one.phrases, Weights(held.by_cue, held.bias, logit(probability)))
            names = [[t.name, t.words] for t in found]
            mine = str(one.row["set"])
            for name in (mine, *(["corpus"] if mine.startswith("training") else [])):
                score_techniques(counts[name], names, one.row, verbose=False)
        print(f"{probability:.3f}", *(f"| {name}: {count}" for name, count in counts.items()))


def print_gains(texts: dict[str, dict[str, str]], rows: Sequence[dict[str, object]]) -> None:
    """Precision and recall of the rules for gains by set; no rule was mended on "open, later"."""
    for name in sorted({str(row["set"]) for row in rows}):
        count = Count()
        for row in rows:
            if row["set"] == name:
                score_gains(count, rule_gains(texts[str(row["id"])]), row, verbose=False)
        print(f"gains, {name}: {count}")


def store(read: Sequence[Labelled], learnt: Weights) -> None:
    """Write the weights that the package reads."""
    held = {"threshold": round(learnt.threshold, 4), "reach": reach(read, learnt), "bias": round(learnt.bias, 4),
            "weights": learnt.by_cue}  # fmt: skip
    STORED.write_text(json.dumps(held, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(learnt.by_cue)} weights, reach {held['reach']}, {STORED.stat().st_size / 1024:.0f} KiB")


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


def _before(one: CreditedPhrase, weights: Weights) -> float:
    return weights.bias + weights.sum([*one.of_sentence, *one.of_words, *one.of_phrase])


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


def _meaning(one: CreditedPhrase, labels: Sequence[tuple[list[str], bool]]) -> frozenset[int] | None:
    mention = one.phrase.mention
    names = [one.phrase.name, *([mention.technique.name] if mention else [])]
    met = [n for n, (label, _) in enumerate(labels) if any(same(name, other) for name in names for other in label)]
    clear = frozenset(n for n in met if not labels[n][1])
    return None if met and not clear else clear


if __name__ == "__main__":
    main()

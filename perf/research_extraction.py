"""Quality and speed of the rules that read papers, beside a plain regular expression.

    PYTHONPATH=include:plugins .venv/bin/python perf/research_extraction.py [--half HALF ...] [--store]

Labels: tests/research_labels.yaml (ids and labels; the texts lie in ../shared/corpus/research). A gain counts as
found when its value is that of a label of the same abstract; the unit is counted apart. A technique counts when its
words and a label's words (stems, without fillers) contain one another or share half.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from auto_benchmark.documents import load
from auto_benchmark.pipelines.research_extract import make_reader
from auto_benchmark.registry.technique_catalog import Effort, Technique, TechniqueCatalog, TechniqueKind
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.scores import find_scores
from auto_benchmark.research.techniques import TechniqueMatcher, stem
from auto_benchmark.research.text import plain, sentences, title_sentence
from auto_benchmark.research.voice import own_voice
from auto_benchmark.settings import INCLUDE, Settings

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "research"
RESULTS = Path(__file__).resolve().parent / "results" / "research_extraction.json"
CATALOG = load(TechniqueCatalog, INCLUDE / "config" / "technique_catalog.yaml")
READER = make_reader(Settings(), "default")
HALVES = ["development", "final", "last", "closing", "held", "blind", "parting", "study", "verdict", "coda"]
TECHNIQUE_LISTS = [
    "papers",
    "fresh",
    "unseen",
    "last_techniques",
    "closing",
    "held",
    "blind",
    "parting",
    "study",
    "verdict",
    "coda",
]
FILLERS = {
    stem(w)
    for w in (
        "a",
        "the",
        "of",
        "and",
        "for",
        "to",
        "with",
        "in",
        "model",
        "method",
        "based",
        "network",
        "learning",
        "data",
        "loss",
        "training",
    )
}


@dataclass
class Count:
    """Hits, false alarms and misses; ``open`` are labels that readers may disagree on."""

    hit: int = 0
    false: int = 0
    missed: int = 0
    open: int = 0
    unit_right: int = 0

    def figures(self) -> dict[str, float]:
        """Precision, recall and the counts behind them."""
        precision = self.hit / max(1, self.hit + self.false)
        recall = self.hit / max(1, self.hit + self.missed)
        counts = {"found": self.hit, "false": self.false, "missed": self.missed}
        return {"precision": round(precision, 4), "recall": round(recall, 4), **counts}

    def __str__(self) -> str:
        precision, recall = self.figures()["precision"], self.figures()["recall"]
        counts = f"{self.hit} found, {self.false} false, {self.missed} missed"
        return f"precision {precision:.3f}  recall {recall:.3f}  ({counts})"


def main() -> None:
    """Print every figure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", choices=HALVES, action="append")
    arguments.add_argument("--verbose", action="store_true")
    arguments.add_argument("--store", action="store_true", help="write perf/results/research_extraction.json")
    given = arguments.parse_args()
    told: dict[str, Any] = {}
    texts = {p["id"]: p for p in map(json.loads, (CORPUS / "abstracts.jsonl").open(encoding="utf-8"))}
    labels = yaml.safe_load((ROOT / "tests" / "research_labels.yaml").read_text(encoding="utf-8"))
    for half in given.half or HALVES:
        print(f"--- {half} half")
        told[half] = quality(labels, texts, half, verbose=given.verbose)
    told["scirex"] = scirex()
    told["abstracts_per_second"] = speed(list(texts.values()))
    if given.store:
        RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def quality(labels: dict[str, Any], texts: dict[str, Any], half: str, *, verbose: bool) -> dict[str, Any]:
    """Gains and techniques of one half."""
    told: dict[str, Any] = {}
    for name, lists in [
        ("100 abstracts by hash", ["papers"]),
        ("all labelled", ["papers", "numeric", "last_gains", "held", "blind", "parting", "study", "verdict", "coda"]),
    ]:
        rows = [row for key in lists for row in labels[key] if row["half"] == half]
        if not rows:
            continue
        for who, read in (("rules", rule_gains), ("plain regex", regex_gains)):
            count = Count()
            for row in rows:
                score_gains(count, read(texts[row["id"]]), row, verbose=verbose and who == "rules" and len(lists) > 1)
            units = f"  unit right {count.unit_right}/{count.hit}" if who == "rules" else ""
            print(f"gains, {name:22} {who:12} {count}{units}")
            told[f"gains, {name}, {who}"] = count.figures()
    for key in TECHNIQUE_LISTS:
        rows = [row for row in labels[key] if row["half"] == half]
        for who, read_names in (("rules", rule_techniques), ("plain regex", regex_techniques)):
            count = Count()
            for row in rows:
                score_techniques(count, read_names(texts[row["id"]]), row, verbose=verbose and who == "rules")
            if rows:
                print(f"techniques, {key:17} {who:12} {count}, {count.open} on open labels")
                told[f"techniques, {key}, {who}"] = count.figures()
    return told


def rule_gains(text: dict[str, Any]) -> list[tuple[float, str]]:
    """What the rules find."""
    read = READER.read(Paper(text["id"], text["title"], text["abstract"]))
    return [(gain.value, gain.unit.value) for gain in read.gains]


def regex_gains(text: dict[str, Any]) -> list[tuple[float, str]]:
    """Numbers with a unit in sentences that hold a word of improvement."""
    found = []
    for sentence in sentences(text["abstract"]):
        if re.search(r"improv|outperform|surpass|increas|reduc|gain|faster|better|higher|speed", sentence.lower):
            for value, unit in re.findall(r"(\d+(?:\.\d+)?)\s?(%|×|x\b|points?|times)", sentence.lower):
                found.append(
                    (float(value), {"%": "percent", "point": "points", "points": "points"}.get(unit, "fold"))
                )
    return found


def score_gains(count: Count, found: list[tuple[float, str]], row: dict[str, Any], *, verbose: bool) -> None:
    """Pair what was found with one abstract's labels."""
    left = [_gain_label(label) for label in row["gains"]]
    for value, unit in found:
        label = next((x for x in left if any(abs(value - v) < 1e-6 for v in x[0])), None)
        if label is None:
            count.false += 1
            if verbose:
                print("   false", row["id"], value, unit)
            continue
        left.remove(label)
        if not label[2]:
            count.hit += 1
            count.unit_right += unit == label[1]
    for label in left:
        if not label[2]:
            count.missed += 1
            if verbose:
                print("   missed", row["id"], label[0], label[1])


def _gain_label(label: str) -> tuple[list[float], str, bool]:
    value, unit = label.lstrip("? ").split()[:2]
    return [float(v) for v in value.split("|")], unit, label.startswith("?")


def rule_techniques(text: dict[str, Any]) -> list[list[str]]:
    """Names of each found technique: the catalogue's and the text's."""
    read = READER.read(Paper(text["id"], text["title"], text["abstract"]))
    return [[t.name, t.words] for t in read.techniques]


def regex_techniques(text: dict[str, Any]) -> list[list[str]]:
    """Every catalogue entry one of whose names stands anywhere in title or abstract."""
    whole = plain(f"{text['title']}. {text['abstract'][:20000]}").lower()
    found = []
    for technique in CATALOG.techniques:
        names = [n for n in (technique.name, *technique.aliases) if re.search(rf"\b{re.escape(n.lower())}\b", whole)]
        if names:
            found.append([technique.name, *names])
    return found


def score_techniques(count: Count, found: Iterable[list[str]], row: dict[str, Any], *, verbose: bool) -> None:
    """Pair what was found with one abstract's labels."""
    labels = [[label.lstrip("? ").split(" | "), label.startswith("?"), False] for label in row["techniques"]]
    for names in found:
        met = [label for label in labels if any(same(n, one) for n in names for one in label[0])]
        for label in met:
            label[2] = True
        if not met:
            count.false += 1
            if verbose:
                print("   false", row["id"], names)
        elif all(label[1] for label in met):
            count.open += 1
        else:
            count.hit += 1
    missed = [label[0] for label in labels if not label[1] and not label[2]]
    count.missed += len(missed)
    if verbose and missed:
        print("   missed", row["id"], missed)


def same(one: str, other: str) -> bool:
    """Whether two names mean one thing."""
    a, b = ({stem(w) for w in re.findall(r"[^\W_]+", name)} for name in (one, other))
    if a <= b or b <= a:
        return True
    a, b = a - FILLERS, b - FILLERS
    return bool(a & b) and len(a & b) / len(a | b) >= 0.5


def scirex() -> dict[str, int]:
    """Of the labelled scores that stand in their abstract: how many are found with the right metric."""
    stands = rules = regex = 0
    for paper in map(json.loads, (CORPUS / "tdms" / "scirex_tuples.jsonl").open(encoding="utf-8")):
        read = sentences(paper["abstract"])
        own = own_voice(title_sentence(paper["title"]), read)
        found = {(s.value, family(s.metric)) for s in find_scores(read, own)}
        near = {(float(v), family(m)) for v, m in re.findall(r"(\d+\.\d+) ?%? (\w+)", plain(paper["abstract"]))}
        for tuple_ in {(r["score"], r["metric"]) for r in paper["relations"]}:
            score = re.fullmatch(r"(\d+(?:\.\d+)?)\s?%?", tuple_[0].strip())
            if score is None or not re.search(rf"(?<![\d.]){re.escape(score[1])}(?![\d.]*\d)", paper["abstract"]):
                continue
            stands += 1
            rules += (float(score[1]), family(tuple_[1])) in found
            regex += (float(score[1]), family(tuple_[1])) in near
    print(
        f"--- scirex: {stands} scores stand in their abstract; "
        f"found with the right metric: rules {rules}, plain regex {regex}"
    )
    return {"stand_in_abstract": stands, "rules": rules, "plain_regex": regex}


def family(metric: str) -> str:
    """One name for all spellings of a metric."""
    for name, words in (
        ("bpc", r"bits? ?(?:per|/)|bpc"), ("perplexity", r"perplex|ppl"), ("bleu", "bleu"), ("rouge", "rouge"),
        ("error", "error"),         ("accuracy", r"acc|joint|request|rank|top|goal"), ("f1", r"\bf-?1|f-measure"),
        ("ap", r"\bm?ap\b"), ("iou", "iou"),
    ):  # fmt: skip
        if re.search(words, metric.lower()):
            return name
    return metric.lower().strip()


def speed(texts: list[dict[str, Any]]) -> dict[str, float]:
    """Abstracts a second on one core, and how that falls as the catalogue grows.

    New entries are names made of words that the catalogue's names consist of, so that they begin as those do.
    """
    papers = [Paper(t["id"], t["title"], t["abstract"]) for t in texts if len(t["abstract"]) < 5000]
    words = sorted({w for t in CATALOG.techniques for w in re.findall(r"[a-z]{3,}", t.name.lower())})
    told = {}
    for factor in (1, 2, 4):
        more = [
            Technique(id=f"x{i}",
                      name=f"{words[i % len(words)]} {words[i * 7 % len(words)]} {words[i * 9 % len(words)]} {i}",
                      kind=TechniqueKind.DATA, effort=Effort.LOW)
            for i in range((factor - 1) * len(CATALOG.techniques))
        ]  # fmt: skip
        matcher = TechniqueMatcher(TechniqueCatalog(techniques=[*CATALOG.techniques, *more]))
        reader = replace(READER, matcher=matcher)
        rate = measured(lambda r=reader: [r.read(p) for p in papers], len(papers))
        size = len(matcher.by_id)
        told[f"{factor}x, {size} techniques"] = round(rate, 1)
        print(
            f"--- speed, {size:5} techniques: {rate:.0f} abstracts/s of processor time, whole reading of {len(papers)}"
        )
    return told


def measured(work: Callable[[], Any], n: int) -> float:
    """Best of three, in processor time."""
    best = min(_timed(work) for _ in range(3))
    return n / best


def _timed(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()

"""Quality and speed of the rules that read papers, beside a plain regular expression.

    PYTHONPATH=include:plugins .venv/bin/python perf/research_extraction.py [--set SET ...] [--store]

Labels: tests/research_readings.jsonl (ids and labels; the texts lie in ../shared/corpus/research), by two independent
readers of each abstract. What both call clear must be found; what both leave out must not; where they differ, or call
it open, nothing counts. Nobody who wrote rules read the sealed sets, and no weight was learnt from them. A gain counts
as found when its value is that of a label of the same abstract; the unit is counted apart. A technique counts when its
words and a label's words (stems, without fillers) contain one another or share half.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from auto_benchmark.documents import load
from auto_benchmark.papers.rules import make_reader
from auto_benchmark.registry.technique_catalog import Effort, Technique, TechniqueCatalog, TechniqueKind
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.scores import find_scores
from auto_benchmark.research.stems import stem
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.research.text import plain, sentences, title_sentence
from auto_benchmark.research.voice import own_voice
from auto_benchmark.settings import INCLUDE, Settings

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "research"
READINGS = ROOT / "tests" / "research_readings.jsonl"
RESULTS = Path(__file__).resolve().parent / "results" / "research_extraction.json"
CATALOG = load(TechniqueCatalog, INCLUDE / "config" / "technique_catalog.yaml")
READER = make_reader(Settings(), "default")
SETS = ["sealed", "sealed numbers", "coda", "training, new", "training"]
"""Read by two who did not write rules (the second for its numbers); by one, earlier; what weights were learnt from."""
_FILLING = "a the of and for to with in model method based network learning data loss training"
FILLERS = {stem(word) for word in _FILLING.split()}


@dataclass
class Count:
    """Findings that are right (``hit``), false, or meant by open labels alone (``open``); clear labels met and missed."""

    hit: int = 0
    false: int = 0
    missed: int = 0
    met: int = 0
    open: int = 0
    unit_right: int = 0

    def figures(self) -> dict[str, float]:
        """Precision, recall and the counts behind them."""
        precision = self.hit / max(1, self.hit + self.false)
        recall = self.met / max(1, self.met + self.missed)
        counts = {"found": self.hit, "false": self.false, "labels": self.met + self.missed, "missed": self.missed}
        return {"precision": round(precision, 4), "recall": round(recall, 4), **counts}

    def __str__(self) -> str:
        precision, recall = self.figures()["precision"], self.figures()["recall"]
        counts = f"{self.hit} right, {self.false} false; {self.met} of {self.met + self.missed} labels met"
        return f"precision {precision:.3f}  recall {recall:.3f}  ({counts})"


def main() -> None:
    """Print every figure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--set", choices=SETS, action="append", dest="sets")
    arguments.add_argument("--verbose", action="store_true")
    arguments.add_argument("--store", action="store_true", help="write perf/results/research_extraction.json")
    given = arguments.parse_args()
    told: dict[str, Any] = {}
    texts = texts_by_id()
    for one in given.sets or SETS:
        print(f"--- {one}")
        told[one] = quality(labelled(one), texts, verbose=given.verbose)
    told["readers"] = readers_apart()
    told["scirex"] = scirex()
    told["abstracts_per_second"] = speed(list(texts.values()))
    if given.store:
        RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


@cache
def texts_by_id() -> dict[str, dict[str, Any]]:
    """Every abstract of the corpus."""
    return {text["id"]: text for text in json_lines(CORPUS / "abstracts.jsonl")}


@cache
def readings() -> list[dict[str, Any]]:
    """What readers wrote down, as stored."""
    return json_lines(READINGS)


def json_lines(file: Path) -> list[dict[str, Any]]:
    """One object a line."""
    return [json.loads(line) for line in file.open(encoding="utf-8")]


def labelled(*sets: str) -> list[dict[str, Any]]:
    """The labels of some sets, one row an abstract: what its readers agree on."""
    return [agreed(row) for row in readings() if row["set"] in sets]


def agreed(row: dict[str, Any]) -> dict[str, Any]:
    """What the readers of one abstract agree on; of a single reader what he wrote."""
    first, *second = row["readings"]
    techniques, gains = first["techniques"], first["gains"]
    if second:
        techniques = agreed_techniques(techniques, second[0]["techniques"])
        gains = agreed_gains(gains, second[0]["gains"])
    return {"id": row["id"], "set": row["set"], "techniques": techniques, "gains": gains}


def agreed_techniques(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Clear where both readers call it clear, else open; the words of both are alternatives."""
    ours, theirs = ([(x.lstrip("? ").split(" | "), x.startswith("?")) for x in some] for some in (first, second))
    agreed, met = [], set()
    for names, is_open in ours:
        same_ones = [n for n, (others, _) in enumerate(theirs) if any(same(a, b) for a in names for b in others)]
        met.update(same_ones)
        clear = not is_open and any(not theirs[n][1] for n in same_ones)
        words = dict.fromkeys([*names, *(name for n in same_ones for name in theirs[n][0])])
        agreed.append(("" if clear else "? ") + " | ".join(words))
    return agreed + ["? " + " | ".join(names) for n, (names, _) in enumerate(theirs) if n not in met]


def agreed_gains(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Clear where both readers wrote the number down and call it clear, else open."""
    ours, theirs = ({x.lstrip("? ").split()[0]: x for x in some} for some in (first, second))
    clear = {value for value in ours.keys() & theirs.keys() if "?" not in (ours[value][0], theirs[value][0])}
    kept = [x if x.lstrip("? ").split()[0] in clear else "? " + x.lstrip("? ") for x in first]
    return kept + ["? " + x.lstrip("? ") for value, x in theirs.items() if value not in ours]


def quality(rows: list[dict[str, Any]], texts: dict[str, Any], *, verbose: bool) -> dict[str, Any]:
    """Gains and techniques of one set."""
    told: dict[str, Any] = {}
    for who, gains_of, techniques_of in (
        ("rules", rule_gains, rule_techniques), ("plain regex", regex_gains, regex_techniques),
    ):  # fmt: skip
        gains, techniques = Count(), Count()
        for row in rows:
            loud = verbose and who == "rules"
            score_gains(gains, gains_of(texts[row["id"]]), row, verbose=loud)
            if row["set"] != "sealed numbers":
                score_techniques(techniques, techniques_of(texts[row["id"]]), row, verbose=loud)
        units = f"  unit right {gains.unit_right}/{gains.hit}" if who == "rules" else ""
        print(f"gains,      {who:12} {gains}{units}")
        told[f"gains, {who}"] = gains.figures()
        if techniques.hit + techniques.missed:
            print(f"techniques, {who:12} {techniques}, {techniques.open} on open labels")
            told[f"techniques, {who}"] = techniques.figures()
    return told


def readers_apart() -> dict[str, Any]:
    """One reader of the sealed set judged by the other's labels."""
    told = {}
    for ours, theirs in ((0, 1), (1, 0)):
        count = Count()
        for row in readings():
            if row["set"] == "sealed":
                clear = [x.split(" | ") for x in row["readings"][ours]["techniques"] if not x.startswith("?")]
                score_techniques(count, clear, {"id": row["id"], **row["readings"][theirs]}, verbose=False)
        print(f"--- sealed, techniques: reader {ours + 1} by the labels of reader {theirs + 1}: {count}")
        told[f"reader {ours + 1}"] = count.figures()
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
            count.met += 1
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
    count.met += sum(met and not is_open for _, is_open, met in labels)
    missed = [label[0] for label in labels if not label[1] and not label[2]]
    count.missed += len(missed)
    if verbose and missed:
        print("   missed", row["id"], missed)


@cache
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
    for paper in json_lines(CORPUS / "tdms" / "scirex_tuples.jsonl"):
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

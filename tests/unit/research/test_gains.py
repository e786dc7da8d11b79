"""Gains: what is one, in which unit, about what; and what only looks like one."""

from __future__ import annotations

import pytest
from tests.growth import assert_grows_linearly

from auto_benchmark.research.gains import Gain, GainUnit, find_gains
from auto_benchmark.research.text import sentences, title_sentence
from auto_benchmark.research.voice import own_voice


def gains(text: str) -> list[Gain]:
    read = sentences(text)
    return find_gains(read, own_voice(title_sentence("A title"), read))


def claims(text: str) -> list[tuple[float, str]]:
    return [(gain.value, gain.unit.value) for gain in gains(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our model gives +4.2% on MemoryBench vs prior SOTA.", [(4.2, "percent")]),
        ("We improve accuracy by 3.1 percentage points over the baseline.", [(3.1, "points")]),
        ("Our method outperforms the best system by an absolute 6.4 % on RecallSet.", [(6.4, "points")]),
        ("We report a 12% relative reduction in word error rate.", [(12, "relative")]),
        ("Our decoder reduces latency by up to 40%.", [(40, "relative")]),
        ("We obtain a speedup of 1.6× to 2.4× over the original.", [(1.6, "fold"), (2.4, "fold")]),
        ("Our kernel is three times faster than the reference.", [(3, "fold")]),
        ("Our index is an order of magnitude faster.", [(10, "fold")]),
        ("We raise F1 from 61.2 to 64.0 on QuestSet.", [(2.8, "points")]),
        ("We lower perplexity from 20.5 to 18.3.", [(2.2, "points")]),
        ("Our model improves BLEU by 1.7 on the news task.", [(1.7, "points")]),
        ("We gain 2.4 F1 points on DialogSet and 1.1 F1 points on NewsSet.", [(2.4, "points"), (1.1, "points")]),
        ("It surpasses prior work by 3.7% and 5.5% on A1 and B2.", [(3.7, "percent"), (5.5, "percent")]),
        ("We achieve a 13.1% and 9% increase in accuracy.", [(13.1, "percent"), (9, "percent")]),
        ("We achieve 63.3% on ExamSet, surpassing the 58.5% of the larger model.", [(4.8, "points")]),
        ("Our cache needs 25x less memory.", [(25, "fold")]),
        ("We cut cost by a factor of 8.", [(8, "fold")]),
        (r"We observe a 5.5\% improvement on \textbf{WebSet}.", [(5.5, "percent")]),
        (r"Our parser is up to $8\times$ faster.", [(8, "fold")]),
        ("It is up to 1 , 800 + times faster than the baseline .", [(1800, "fold")]),
        ("Latency falls: we reduce errors by 12–18%.", [(12, "relative"), (18, "relative")]),
        (
            "We apply standard query expansion, yielding a 4.5-point accuracy gain at 95% confidence over BM25.",
            [(4.5, "points")],
        ),
        ("We obtain a 15% relative improvement over BM25 (74.2%).", [(15, "relative")]),
        ("Our model brings a 15% improvement compared to the ranker (74.2%).", [(15, "percent")]),
        ("Our method gives improvements on RecallSet (4.2%).", [(4.2, "percent")]),
        ("Our method gives improvements over BM25 (up to 4.2%).", [(4.2, "percent")]),
        ("Our router beats the best baseline by +3.0-6.5% on WebSet.", [(3, "percent"), (6.5, "percent")]),
        (
            "We lower perplexity by 0.1-0.4 on A-7B and 0.2-0.6 on B-7B.",
            [(0.1, "points"), (0.4, "points"), (0.2, "points"), (0.6, "points")],
        ),
        (
            "Our loss outperforms the old one by more than 2 (up to 3.1) BLEU points.",
            [(2, "points"), (3.1, "points")],
        ),
        ("Ours gains 4.9% for Model 3.1 and 2.2% for Model 2 over LoRA.", [(4.9, "percent"), (2.2, "percent")]),
        ("Our students are 7.6× smaller and 4.8× faster than the teacher.", [(7.6, "fold"), (4.8, "fold")]),
        ("Our server offers 10x the throughput of the old one.", [(10, "fold")]),
        ("Our cache brings 2.8 faster decoding.", [(2.8, "fold")]),
        ("Our test error is improved in many settings, including 0.8% on ImageSet.", [(0.8, "percent")]),
        ("Early exits give a 41% speed improvement with no loss in quality.", [(41, "percent")]),
        ("We show significant (10 times) speedups over the parser.", [(10, "fold")]),
        ("Context can yield 10+ points of absolute improvement over the model.", [(10, "points")]),
        ("Our reader improves open QA (EM score +8.6 on QuestSet).", [(8.6, "points")]),
        ("Transfer yields 48.7 accuracy, 4.2 points above the state of the art.", [(4.2, "points")]),
        (
            "We surpass X (up to 75%), Y training (up to 81%), and Z training (up to 83%).",
            [(75, "percent"), (81, "percent"), (83, "percent")],
        ),
    ],
)
def test_claimed_improvements(text: str, expected: list[tuple[float, str]]) -> None:
    assert claims(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Our model achieves 88.7% accuracy on the test set.",
        "We use only 10% of the training data.",
        "Models fail in 58% of trials.",
        "We find that accuracy drops by 23% under attack.",
        "Our method adds less than 1% overhead.",
        "We train on 100x more data.",
        "We match models that are 7x larger.",
        "Performance varies by up to 20% with the language.",
        "Previous work improves accuracy by 9%. We study why.",
        "We scale from 0.4B to 13B parameters.",
        "Contexts range from 8K to 128K tokens.",
        "We evaluate 576 cases in 4 settings on 12 datasets.",
        "The increase in latency of 30% is a cost of our method.",
        "We confirm the gains at 95% confidence.",
        "We achieve a reduction of regret above the 99% quantile.",
        "We show an improvement over chance at 95% probability.",
        "We find that about 30% of gain is due to the larger batch.",
        "Our cache costs 3% of reduction in accuracy.",
        "Our pruning leads to 5% of increase in perplexity.",
        "The latency of our system is 20% above the baselines.",
        "Our model reaches an accuracy (85%) higher than all rivals.",
        "We try the 3 faster models.",
        "In 24 faster decoding steps our system works.",
        "We improve on tasks with noisy labels, including 40% noise.",
        "Our server has 0.5x the throughput of the baseline.",
        "We work on images that are 4x smaller than usual.",
        "Our merging compresses layers with a minimal performance decrease of only 2.8%.",
        "Our method keeps its rate, with a negligible decrease in speed of around 1%.",
    ],
)
def test_numbers_that_are_no_gain(text: str) -> None:
    assert claims(text) == []


def test_metric_benchmark_baseline_and_quote() -> None:
    text = "We propose X-Net. X-Net improves accuracy by 4.2% on MemoryBench compared to StrongBase, and is small."
    [gain] = gains(text)
    assert (gain.metric, gain.benchmark, gain.baseline) == ("accuracy", "MemoryBench", "StrongBase")
    assert gain.unit is GainUnit.PERCENT
    assert gain.sentence in text


def test_a_list_names_its_benchmarks_one_by_one() -> None:
    found = gains("We observe a 5.6% improvement on WebSet and a 5.4% improvement on PhoneSet.")
    assert [(g.value, g.benchmark) for g in found] == [(5.6, "WebSet"), (5.4, "PhoneSet")]


def test_the_direction_of_the_metric_does_not_change_the_sign() -> None:
    assert claims("We reduce the error rate by 8%.") == [(8, "relative")]
    assert claims("Our approach increases the error rate by 8%.") == []


@pytest.mark.parametrize(
    "text",
    ["1" * 1980 + ") point. ", "2 (" * 600 + "points. ", "3.1-" * 490 + "% to x. "],
    ids=["digits", "brackets", "ranges"],
)
def test_long_runs_of_digits_are_read_in_linear_time(text: str) -> None:
    assert_grows_linearly(lambda n: gains("We improve. " + text * n), 24)

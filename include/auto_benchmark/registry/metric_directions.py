"""Which way well-known metrics point, by the words of their names; what is not known here is asked for, never guessed."""

from __future__ import annotations

import re

from auto_benchmark.registry.slice_metrics import SLICE_GAP, WORST_SLICE


def _set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


HIGHER = _set(
    "acc accuracy ap auc auprc auroc bertscore bleu chrf comet correct correlation dice em exact f1 f2 fps hit hits iou",
    "jaccard kappa kendall likelihood map mcc miou mrr ndcg pass pearson precision psnr purity r2 recall rouge",
    "sensitivity solved spearman specificity speed speedup ssim success throughput win wins",
)
LOWER = _set(
    "bpb bpc brier cer co2 cost cpu divergence duration ece eer emissions energy entropy error errors failure failures",
    "fid flops fnr fpr hallucination hallucinations latency loss mae mape memory mse nll perplexity ppl price ram rmse",
    "slowdown smape ter time timeouts toxicity violations vram wer",
)
UNITS = _set("bytes eur gb gib h hours j joules kb kwh mb mib minutes ms ns s sec seconds us usd wh")
"""At the end of a name: an amount of time, memory, energy or money, which is a cost."""
RATES = _set("second s sec minute hour")
TURNED = _set("delta diff difference drop gap inverse minus neg negative no non not std stdev var variance")
"""Words that may turn a metric round, or make another one of it."""
OURS = {WORST_SLICE: True, SLICE_GAP: False}
"""Metrics that we compute ourselves; of a benchmark whose primary metric counts down, its worst slice counts down too."""


def direction_of(name: str) -> bool | None:
    """Whether higher is better in the metric ``name``; None where its words do not say, or contradict each other."""
    if name in OURS:
        return OURS[name]
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    if TURNED & {*words}:
        return None
    if "per" in words:
        return _of_a_rate(words)
    if len(words) > 1 and words[-1] in UNITS:
        return False
    return _of_words(words)


def _of_a_rate(words: list[str]) -> bool | None:
    """``cost_per_token`` and ``seconds_per_step`` count down; ``tokens_per_second`` counts up."""
    of, per = words[: words.index("per")], words[words.index("per") + 1 :]
    if of and of[-1] in UNITS:
        return False
    known = _of_words(of)
    return True if known is None and per and per[-1] in RATES and not LOWER & {*of} else known


def _of_words(words: list[str]) -> bool | None:
    up, down = bool(HIGHER & {*words}), bool(LOWER & {*words})
    return None if up == down else up

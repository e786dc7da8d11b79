"""Words of measurement: metrics and which way is better, resources, improving and worsening."""

from __future__ import annotations

import re

_BETTER_HIGH = (
    r"(?:macro|micro|weighted|joint|corpus|token|span|entity|exact|partial|strict|relaxed"
    r"|soft)?[ -]?f-?1(?:[ -]?scores?)?",
    r"f-?(?:measures?|scores?|beta)",
    r"(?:sacre|self-)?bleu(?:-?\d|rt)?(?:[ -]?scores?)?",
    r"rouge(?:-?(?:\d|l|lsum|w|su4))?(?:[ -]?scores?)?",
    r"meteor",
    r"cider(?:-d)?",
    r"spice",
    r"chrf(?:\+\+)?",
    r"comet(?:-\d+)?",
    r"bertscore",
    r"clip[ -]?score",
    r"gleu",
    r"(?:top|rank)-?\d+(?: accuracy)?",
    r"pass@?\^?\d+(?: accuracy)?",
    r"(?:recall|precision|hits?|ndcg|mrr|map|acc(?:uracy)?|p|r|f1|success)@\d+",
    r"(?:balanced |test |average |overall |goal |slot |joint goal |request |mean |classification "
    r"|exact match |zero-shot |answer )?accurac(?:y|ies)",
    r"\bacc\b",
    r"precision",
    r"recall",
    r"ndcg",
    r"mrr",
    r"m?ap(?:50|75)?(?=\W|$)",
    r"mean average precision",
    r"average precision",
    r"mean reciprocal rank",
    r"au(?:c|roc|prc?|c-?roc)",
    r"roc-?auc",
    r"m?iou",
    r"dice(?: (?:scores?|coefficients?))?",
    r"psnr",
    r"ssim",
    r"mos",
    r"db\b",
    r"elo",
    r"win[ -]?rates?",
    r"success[ -]?rates?",
    r"task success",
    r"pass[ -]?rates?",
    r"solve[ -]?rates?",
    r"resolve[ -]?rates?",
    r"hit[ -]?rates?",
    r"exact[ -]?match",
    r"\bem\b",
    r"matthews correlation",
    r"(?:pearson|spearman|kendall)(?:'s)?(?: (?:correlation|rho|tau))?",
    r"correlations?",
    r"(?:cohen )?kappa",
    r"r2",
    r"inception score",
    r"code coverage",
    r"test coverage",
    r"coverage",
    r"throughput",
    r"sample efficiency",
    r"data efficiency",
    r"robustness",
    r"performance",
    r"quality",
    r"fluency",
    r"faithfulness",
    r"diversity",
    r"efficacy",
    r"effectiveness",
    r"edit efficacy",
    r"recognition",
    r"rewards?",
    r"returns?",
    r"scores?",
)
_BETTER_LOW = (
    r"(?:word |character |phone(?:me)? |slot |diagnostic |classification |test |prediction |equal "
    r"|relative |top-?\d+ |estimation |tracking |generalization )?error(?: ?rates?)?s?",
    r"\b[wcs]er\b",
    r"\beer\b",
    r"(?:validation |test )?perplexit(?:y|ies)",
    r"\bppl\b",
    r"bits?[ -]per[ -](?:character|byte|dim)",
    r"\bb(?:pc|pb)\b",
    r"bpc ?/ ?perplexity",
    r"\bfid\b",
    r"\bkid\b",
    r"\bfvd\b",
    r"\blpips\b",
    r"\b(?:rm|m)?se\b",
    r"\bmae\b",
    r"\bmape\b",
    r"\bece\b",
    r"calibration error",
    r"miss[ -]?rates?",
    r"false (?:positives?|negatives?|alarms?)(?: rates?)?",
    r"collisions?(?: rates?)?",
    r"failures?(?: rates?)?",
    r"hallucinations?(?: rates?)?",
    r"violations?(?: rates?)?",
    r"attack success rates?",
    r"toxicity",
    r"bias",
    r"regret",
    r"forgetting",
    r"loss(?:es)?",
    r"intrusions?",
    r"hubness",
    r"refusals?",
    r"risky action\w*",
)
_RESOURCE = (
    r"(?:decoding|training|inference|pre-?training|fine-?tuning|search|run|wall-?clock|data collection"
    r"|execution|response|per-epoch training|computation|generation|prefill\w*|retrieval|query|annotation"
    r"|indexing|convergence)[ -]?(?:time|speed|latency|costs?|flops|compute|memory)s?",
    r"runtimes?",
    r"latenc(?:y|ies)",
    r"flops?",
    r"(?:gpu |peak |kv[ -]cache |cache |video )?memory(?: usage| footprint| consumption| requirements?| saving)?",
    r"storage(?: costs?| requirements?)?",
    r"(?:trainable |model )?param(?:eter)?s?(?: count)?",
    r"kv[ -]caches?(?: size)?",
    r"model size",
    r"sizes?",
    r"(?:computational |api |token |compute |computing |labell?ing |communication |monetary |inference "
    r"|training )?costs?(?:[ -]per[ -]\w+)?",
    r"energy(?: consumption)?",
    r"carbon",
    r"tokens?(?: usage| consumption)?",
    r"(?:training )?(?:iterations|steps|epochs)",
    r"compute",
    r"bandwidth",
    r"overheads?",
    r"set sizes?",
    r"(?:training )?(?:data|samples|examples|labels|annotations)(?: requirements?)?",
)

METRIC = (
    r"(?:(?:macro |micro |joint )?f-?1|(?:sacre|sp)?bleu(?:-?\d)?|rouge(?:-?(?:lsum|\w))?|meteor|cider|spice"
    r"|bertscore|bleurt|chrf(?:\+\+)?|comet|gleu|m?ap(?:50)?|m?iou|auc|auroc"
    r"|psnr|ssim|db|mos|elo|ndcg(?:@\d+)?|mrr|em|exact match|accuracy|precision|recall|perplexity|ppl|wer"
    r"|cer|fid|bpc|bpb|mae|rmse|dice|las|uas)"
)
"""Metrics that may stand directly behind a number ("2.1 BLEU")."""
GOOD = re.compile(r"(?<![\w-])(?:" + "|".join(_BETTER_HIGH) + r")(?![\w])", re.IGNORECASE)
BAD = re.compile(r"(?<![\w-])(?:" + "|".join(_BETTER_LOW) + r")(?![\w])", re.IGNORECASE)
RESOURCE = re.compile(r"(?<![\w-])(?:" + "|".join(_RESOURCE) + r")(?![\w])", re.IGNORECASE)
UNWANTED = re.compile(
    r"\b(?:incorrect|wrong\w*|errors?|fail\w*|hallucinat\w*|toxic\w*|harm\w*|bias\w*|risky?|risks"
    r"|violations?|unsafe|misses"
    r"|collisions?|intrusions?|false|degrad\w*|miss rates?|attack success)\b"
)


def polarity(metric: str) -> int:
    """+1 when higher is better, -1 when lower is better (errors and resources), 0 when unknown."""
    if BAD.search(metric) or UNWANTED.search(metric):
        return -1
    if GOOD.search(metric):
        return 1
    return -1 if RESOURCE.search(metric) else 0

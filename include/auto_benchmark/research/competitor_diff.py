"""A competitor's public report or README against our architecture: details, differences, candidate experiments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auto_benchmark.registry.solution import Params
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.research.text import Sentence, sentences, title_sentence

_NUMBER = (
    r"\d[\d,]*(?:\.\d+)?(?:\s?[×x]\s?10\^?\{?-?\d+\}?|e-?\d+)?\s?(?:[kmbt]\b|million|billion|trillion|thousand)?"
)
_DETAILS: tuple[tuple[str, str], ...] = (
    (
        "layers",
        rf"(?P<v>{_NUMBER})[ -](?:transformer |decoder |encoder |hidden )?layers?\b|layers?(?:\s*[:=|]"
        rf"| of)\s*(?P<w>{_NUMBER})"),
    (
        "hidden size",
        rf"(?:hidden (?:size|dimension)|model dimension|d_?model"
        rf"|embedding dim(?:ension)?)\D{{0,12}}?(?P<v>{_NUMBER})"),
    (
        "attention heads",
        rf"(?P<v>{_NUMBER}) (?:attention |query )?heads|heads?\s*[:=|]\s*(?P<w>{_NUMBER})"),
    (
        "parameters",
        rf"(?P<v>{_NUMBER})[ -](?:total |active )?param(?:eter)?s?\b|parameters?\s*[:=|]\s*(?P<w>{_NUMBER})"),
    (
        "context length",
        rf"(?:context (?:length|window|size)|sequence length"
        rf"|max(?:imum)? length)\D{{0,12}}?(?P<v>{_NUMBER})|(?P<w>{_NUMBER})[ -]tokens? context"),
    (
        "vocabulary",
        rf"vocab(?:ulary)?(?: size)?\D{{0,12}}?(?P<v>{_NUMBER})"),
    (
        "batch size",
        rf"batch size\D{{0,10}}?(?P<v>{_NUMBER})"),
    (
        "learning rate",
        rf"(?:peak )?(?:learning rate|\blr\b)\D{{0,12}}?(?P<v>{_NUMBER})"),
    (
        "weight decay",
        rf"weight decay\D{{0,10}}?(?P<v>{_NUMBER})"),
    (
        "dropout",
        r"dropout\D{0,10}?(?P<v>0?\.\d+)"),
    (
        "warmup",
        rf"warm-?up\D{{0,14}}?(?P<v>{_NUMBER})|(?P<w>{_NUMBER}) (?:steps? of )?warm-?up"),
    (
        "epochs",
        rf"(?P<v>{_NUMBER}) epochs?|epochs?\s*[:=|]\s*(?P<w>{_NUMBER})"),
    (
        "training tokens",
        rf"(?:trained on|over|on) (?:about |around |over )?(?P<v>{_NUMBER}) tokens"),
    (
        "optimizer",
        r"\b(?P<v>adamw?|sgd|lion|adafactor|muon|lamb|shampoo|rmsprop)\b"),
    (
        "schedule",
        r"\b(?P<v>cosine|linear|constant|inverse[ -]square[ -]root|one-?cycle|wsd)\b[^.]{0,20}\b(?:decay"
        r"|schedule|annealing|learning rate)"),
    (
        "activation",
        r"\b(?P<v>swiglu|geglu|gelu|relu|silu|swish)\b"),
    (
        "normalisation",
        r"\b(?P<v>rmsnorm|layernorm|layer norm(?:alization)?|batch ?norm(?:alization)?)\b"),
    (
        "position encoding",
        r"\b(?P<v>rope|rotary|alibi|sinusoidal|learned positional?|relative position)\b"),
    (
        "precision",
        r"\b(?P<v>bf16|bfloat16|fp16|fp8|int8|int4|float16)\b"),
    (
        "tokenizer",
        r"\b(?P<v>bpe|byte[ -]pair|sentencepiece|wordpiece|tiktoken)\b"),
    (
        "retriever",
        r"\b(?P<v>bm25|splade|colbert|dpr|contriever|faiss|hnsw)\b"),
    (
        "embedding model",
        r"\b(?P<v>(?:bge|e5|gte|minilm|text-embedding|nomic-embed|jina-embed)[\w.-]*)"),
    (
        "top-k",
        rf"top[- ]?k\D{{0,8}}?(?P<v>{_NUMBER})|top[- ](?P<w>\d+) (?:passages|documents|chunks|memories|results)"),
    (
        "chunk size",
        rf"chunks? (?:size|length)?\s*(?:of|[:=|])?\s*(?P<v>{_NUMBER})|(?P<w>{_NUMBER})[- ]token chunks"),
    (
        "re-ranker",
        r"\b(?P<v>cross-encoder|re-?rank(?:er|ing))\b"),
)  # fmt: skip
_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*|+]|\d+[.)]|#)[ \t]?)")
"""Items of lists and rows of tables are statements of their own."""
_ADDRESS = re.compile(
    r"\]\([^()\s]{0,500}\)|\bhttps?://\S+|(?<![\w.])[\w.-]*/[\w./-]{8,}|\b\d{1,4}[/-]\d{1,2}[/-]\d{2,4}\b"
)
"""Link targets, URLs, paths and dates: what looks like a number in them is no quantity."""
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _DETAILS)


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing the report says about the competitor's system, with the sentence that says it."""

    name: str
    value: str
    sentence: str
    technique: str | None = None


@dataclass(frozen=True, slots=True)
class ReportDifference:
    """One detail that is not ours. ``patch`` is the experiment that tries it, where the solution maps it to knobs."""

    detail: Detail
    ours: str | None
    patch: Params | None


def details_of(title: str, text: str, matcher: TechniqueMatcher) -> list[Detail]:
    """Every architectural and training detail that ``text`` states: named quantities first, then techniques.

    Techniques count whether credited or not: a report describes the system as it is.
    """
    read = [_without_addresses(sentence) for sentence in sentences(_ITEM.sub("\n\n", text))]
    found: dict[tuple[str, str], Detail] = {}
    for sentence in read:
        for name, pattern in _COMPILED:
            for match in pattern.finditer(sentence.plain):
                value = " ".join(next(v for v in match.groupdict().values() if v is not None).split()).strip(" ,.")
                found.setdefault((name, value.casefold()), Detail(name, value, sentence.quote))
    for mention in matcher.mentions(title_sentence(title), read):
        key = ("technique", mention.technique.id)
        found.setdefault(
            key, Detail("technique", mention.technique.name, mention.sentence.quote, mention.technique.id)
        )
    return list(found.values())


def _without_addresses(sentence: Sentence) -> Sentence:
    plain = _ADDRESS.sub(" ", sentence.plain)
    return replace(sentence, plain=plain, lower=plain.lower(), chunks=tuple(plain.split()))


def differences(
    details: Sequence[Detail], architecture: Mapping[str, object], mapping: Mapping[str, Params]
) -> list[ReportDifference]:
    """What they have and we do not say we have, those with a ready experiment first.

    Args:
        details: of the competitor.
        architecture: ``architecture`` of our ``solution.yaml``.
        mapping: its ``techniques``.
    """
    described = " ".join(f"{name} {value}" for name, value in architecture.items()).casefold()
    found = []
    for detail in details:
        ours = _ours(detail, architecture)
        patch = mapping.get(detail.technique) if detail.technique else None
        same = ours is not None and ours.casefold() == detail.value.casefold()
        if not same and (patch is not None or not _mentions(described, detail.value)):
            found.append(ReportDifference(detail, ours, patch))
    return sorted(found, key=lambda d: d.patch is None)


def _ours(detail: Detail, architecture: Mapping[str, object]) -> str | None:
    wanted = re.sub(r"\W|_", "", detail.name).casefold()
    for name, value in architecture.items():
        if re.sub(r"\W|_", "", str(name)).casefold() == wanted:
            return str(value)
    return None


def _mentions(described: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", described) is not None

"""Techniques that the authors name themselves and the catalogue does not know yet.

Two forms are trusted: a name with its acronym behind a proposing verb ("we propose Cascade Reward Sampling (CARDS)"),
and a noun phrase behind one that ends in a word only techniques end in ("a segment-level recurrence mechanism").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from auto_benchmark.registry.technique_catalog import TechniqueKind
from auto_benchmark.research.acronyms import spelt_out
from auto_benchmark.research.credit import in_contrast, puts_forward, reviews, states_use
from auto_benchmark.research.phrases import numbered, objects, title_objects, well_formed
from auto_benchmark.research.techniques import FoundTechnique, Mention
from auto_benchmark.research.text import Sentence

_VERB = (
    r"\b(?:propos(?:e|es|ed|ing)|introduc(?:e|es|ed|ing)|present|presents|develop|develops|design|designs"
    r"|devise|devises|unveil|incorporates?|employs?|utili[sz]es?|consists? of|consisting of|equipped with)\b"
)
_HINT = re.compile(
    r"(?<=[a-z]) \([a-z][\w-]+ |novel|new |propos|introduc|present|develop|design|devis|unveil|incorporat"
    r"|employ"
)
_NAMING = (
    "network networks model models loss losses attention memory memories embedding embeddings transformer transformers "
    "policy policies encoder encoders decoder decoders autoencoder autoencoders experts adapter adapters module modules "
    "representation representations prompt prompts search optimizer kernel kernels machine machines forest forests "
    "process processes field fields diffusion flow flows curriculum retrieval inference transfer synthesis guidance "
    "programs program mixture ensemble ensembles tree trees graph graphs attack defense controller planner filter "
    "filters descent "
    "ascent rewards reward feedback replay refinery algorithm algorithms method framework approach"
)
_COINED = re.compile(
    r"(?:ing|[ts]ion|(?:align|refine|improve|reinforce|enhance|adjust|treat)ment|[ie]zer|former|nets?|gan)$"
)
_NAMING_WORDS = frozenset(_NAMING.split())
_ACRONYM = re.compile(r"\(\s?([A-Z][A-Za-z]*[A-Z][A-Za-z]*)(?:-[\w.]+)?\s?\)")
_HEAD = (
    r"mechanisms?|loss(?:es)?|objectives?|attention|modules?|sampling|distillation|augmentation"
    r"|pre-?training|fine-?tuning|pruning|decoding|retrieval|re-?ranking|regulari[sz](?:ation|er)"
    r"|schedules?|kernels?|encoders?|decoders?|layers?|normali[sz]ation|initiali[sz]ation|optimi[sz]er"
    r"|verification|experts|filtering|prompting|curriculum|quanti[sz]ation|compression|fusion|reweighting"
    r"|networks?|tokens?|encoding|parametri[sz]ation|exploration|descent|propagation|rehearsal|replay"
    r"|recurrence|coefficients|discriminators?|routers?|gates?|branch(?:es)?|pathways?|adapters?"
    r"|supervision|transformer|autoencoder"
)
_METHOD = (
    r"frameworks?|methods?|approach(?:es)?|algorithms?|strateg(?:y|ies)|techniques?|schemes?|paradigms?"
    r"|procedures?|models?|pipelines?|architectures?"
)
_DOES = (
    r"[\w-]+-(?:based|guided|driven|aware|augmented|enhanced|conditioned|weighted)|optimi[sz]ation"
    r"|calibration|sampling|learning|selection|allocation|reallocation|editing|prompting|pooling|matching"
    r"|grouping"
    r"|pruning|merging|mixing|masking|scheduling|planning|rewriting|reweighting|injection|interpolation"
    r"|propagation|regulari[sz]ation|augmentation|decomposition|factori[sz]ation|decoding|exploration"
)
_TASK = (
    r"translation|recognition|answering|detection|segmentation|classification|summari[sz]ation|generation|parsing"
    r"|prediction|estimation|understanding|captioning|tracking|extraction|label+ing|recommendation|navigation"
    r"|manipulation|completion|identification|locali[sz]ation|reasoning|modell?ing|processing|evaluation|testing"
    r"|forecasting|grounding|assessment|imputation|reconstruction|resolution|analysis|vision|action|question"
    r"|annotation|collection|information|driving|learning|training|benchmarking|conversation|simulation|communication"
)
_DONE = rf"(?!(?:{_TASK})\b)[\w'/-]+(?:[^e]ing|[ts]ion|alignment|refinement|guidance|inference|discovery|synthesis|transfer)"
_DESCRIBED = re.compile(
    rf"(?:{_VERB}|\b(?:novel|new)\b|\bwith|\b(?:contribution|idea|innovation|approach|method) is)\s(?:(?:a"
    rf"|an|the|our|two)\s)?(?:(?:novel|new|simple|effective"
    rf"|efficient|general|lightweight|scalable|yet|but|and|first|practical|powerful|unified"
    rf"|innovative)[, ]\s?)*"
    rf"(?P<name>(?:(?!(?:of|for|to|that|which|by|with|in|on|and|as|from|using|via|we|called|named|is|are"
    rf"|novel|new)\b)[\w'/-]+\s){{0,4}}?(?:{_DOES}|{_DONE}))\s(?:{_METHOD}|mechanisms?|schemes?|modules?)(?![\w-])",
    re.IGNORECASE,
)
_NOVEL = re.compile(
    rf"\b(?:novel|new)\s(?P<name>(?:(?!(?:of|for|to|that|which|by|with|in|on|and|as|from|using|via|we"
    rf"|called|named|is|are)\b)[\w'/-]+\s){{1,4}}?(?:{_HEAD}))(?![\w-])",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    rf"{_VERB}\s(?:(?:a|an|the|our|two|three|several|its|and|also)\s)?(?:(?:novel|new|simple|effective"
    rf"|efficient|general|lightweight|scalable|yet|but|and|first|practical|powerful|unified|innovative"
    rf"|type of)[, ]\s?)*"
    rf"(?P<name>(?:(?!(?:of|for|to|that|which|by|with|in|on|and|as|from|using|via|we|called|named|is"
    rf"|are)\b)[\w'/-]+\s){{1,5}}?(?:{_HEAD}))(?![\w-])",
    re.IGNORECASE,
)
_NOT_NEW = re.compile(
    r"\b(?:benchmarks?|datasets?|corpus|corpora|tasks?|evaluation|metrics?|protocol|suite|toolkit|library"
    r"|package|challenge|leaderboard|survey|stud(?:y|ies)|taxonomy|ontology|schema|platform"
    r"|relation extraction|theory|analysis"
    r"|during|after|before|annotation|questions?|problem|setting|score|index|machine learning|deep learning"
    r"|(?:neural network|language models?|convolutional networks?|deep networks?)$)\b",
    re.IGNORECASE,
)
_KINDS = (
    (TechniqueKind.DATA, re.compile(r"augment|synthe|curat|filter|mixture|data\b|packing|negative", re.IGNORECASE)),
    (TechniqueKind.INFERENCE, re.compile(
        r"decod|sampl|infer|search|prompt|retriev|rank|verif|prun|quanti|compress|cache|test-time|steer|ensembl"
        r"|speculat", re.IGNORECASE)),
    (TechniqueKind.TRAINING, re.compile(
        r"loss|objective|train|learn|tun|distill|optimi|regulari|schedul|initiali|supervis|curricul|reward"
        r"|polic|gradient|descent|alignment|adapt|transfer|replay|rehears", re.IGNORECASE)),
)  # fmt: skip
_ADJECTIVES = re.compile(
    r"^(?:(?:a|an|the|this|these|its|our|novel|new|simple|effective|efficient|general|lightweight|scalable"
    r"|innovative|powerful|additional|different|various|multiple|such|more|strong|primary|main|key|student"
    r"|single|joint)\s+)+",
    re.IGNORECASE,
)
_DISTANT = re.compile(r"\b(?:of|for|to|using|that|which|by|with|in|on|and|as|from)\b")
_OBJECT = r"schemes?|controllers?|predictors?|designs?"
_INDEFINITE = re.compile(
    rf"\b(?:an?|our|novel|new)\s(?P<name>(?:(?!(?:of|for|to|that|which|by|with|in|on|and|as|from|using|via"
    rf"|we|called|named|is|are|an?|the)\b)[\w'/-]+\s){{1,4}}?(?:{_HEAD}|{_OBJECT}))(?![\w-])",
    re.IGNORECASE,
)
_PLAIN_WORDS = frozenset(
    {
        "deep", "neural", "specified", "specific", "generation", "perception", "discriminative", "new", "novel",
        "simple", "unified", "generative", "language", "large", "pretrained", "general", "single", "joint",
        "final", "first", "different", "proposed", "trained", "learned", "own", "same", "strong", "better",
        "small", "good", "text", "image", "input", "output", "document", "visual", "speech",
        "pre-trained", "full", "standard", "baseline", "statistical", "probabilistic", "effective",
        "efficient", "robust", "based", "multimodal", "machine", "foundation", "end-to-end", "reward", "target",
        "main", "network", "models", "model", "such", "each", "given",
    }
)  # fmt: skip
_FLAWED = re.compile(r"[^,;]{0,30}\b(?:are|is) (?:flawed|limited|insufficient|ineffective|unreliable)")
_PASSIVE_HINT = re.compile(r" (?:is|are) (?:\w+ )?(?:propos|introduc|present|develop|design|devis)")
_PASSIVE = re.compile(
    rf"\b(?:an?|the|our)\s(?P<name>(?:[\w'/-]+\s){{1,5}}?(?:{_HEAD}))(?:\s\([A-Z][\w-]*\))?\s(?:is"
    rf"|are) (?:then |further |also )?(?:proposed|introduced|presented|developed|designed|devised)\b",
    re.IGNORECASE,
)
_GLOSS = re.compile(r"\b[A-Z][\w-]*[A-Z][\w-]*\s\((?P<name>[A-Z][\w-]+(?:\s[\w-]+){1,7})\)")
_EMPTY = re.compile(r"[\w]+-based", re.IGNORECASE)


def propose(
    title: Sentence, text: Sequence[Sentence], own: Sequence[bool], known: Sequence[Mention]
) -> list[FoundTechnique]:
    """New technique names in reading order, none of which the catalogue already found at the same place."""
    found: dict[str, FoundTechnique] = {}
    for sentence, name in (*_of_title(title, text, own), *_of_text(text, own)):
        begin = sentence.plain.find(name)
        if in_contrast(sentence.lower, begin) or name[0].isdigit() or _EMPTY.fullmatch(name):
            continue
        if _FLAWED.match(sentence.lower, begin + len(name)):
            continue
        if not _NOT_NEW.search(name) and not _is_known(name, sentence, known):
            found.setdefault(_key(name), FoundTechnique(None, name, name, kind_of(name), sentence.quote))
    return _without_parts(list(found.values()))


def _of_title(title: Sentence, text: Sequence[Sentence], own: Sequence[bool]) -> Iterator[tuple[Sentence, str]]:
    if not reviews(title) and any(mine and puts_forward(s) for s, mine in zip(text, own, strict=True)):
        for name in title_objects(title.plain):
            yield title, name


def _of_text(text: Sequence[Sentence], own: Sequence[bool]) -> Iterator[tuple[Sentence, str]]:
    for sentence, mine in zip(text, own, strict=True):
        if not mine:
            continue
        if _HINT.search(sentence.lower):
            for name in _with_acronym(sentence.plain):
                yield sentence, name
            for name in _phrases(sentence.plain):
                if well_formed(name):
                    yield sentence, name
        if states_use(sentence):
            for name in (*objects(sentence.plain), *numbered(sentence.plain)):
                yield sentence, name


def kind_of(name: str) -> TechniqueKind:
    """What a technique of this name probably changes; architecture when its words do not say."""
    return next((kind for kind, words in _KINDS if words.search(name)), TechniqueKind.ARCHITECTURE)


def _with_acronym(text: str) -> list[str]:
    verb = re.search(_VERB, text, re.IGNORECASE)
    if verb is None:
        return []
    found = []
    for acronym in _ACRONYM.finditer(text, verb.end(), verb.end() + 160):
        between = text[verb.end() : acronym.start()]
        name = spelt_out(between.split(), acronym[1])
        if name and _names_a_technique(name) and not _DISTANT.search(between[: between.rfind(name)]):
            found.append(name)
    return found


def _names_a_technique(name: str) -> bool:
    """Whether the head of a name is what techniques are called: no dataset, environment or tool."""
    head = re.split(r" (?:of|for|with|in|to|via|from|on|by|through)\b", name, maxsplit=1)[0].split()[-1].lower()
    return head in _NAMING_WORDS or bool(_COINED.search(head))


def _phrases(text: str) -> list[str]:
    lower = text.lower()
    verb = re.search(_VERB, lower)
    new = "novel" in lower or "new " in lower
    patterns = [_DESCRIBED] if verb or new or " is " in lower else []
    patterns += [_PHRASE] if verb else []
    patterns += [_NOVEL] if new else []
    patterns += [_PASSIVE] if _PASSIVE_HINT.search(lower) else []
    found = [m["name"] for pattern in patterns for m in pattern.finditer(text)]
    found += [m["name"] for m in _GLOSS.finditer(text) if _names_a_technique(m["name"])] if "(" in text else []
    if verb:
        found += [m["name"] for m in _INDEFINITE.finditer(text, verb.end()) if _says_something(m["name"])]
    names = (_ADJECTIVES.sub("", name) for name in found)
    return [name for name in names if len(re.findall(r"\w+", name)) > 1]


def _says_something(name: str) -> bool:
    """Whether a phrase has a modifier that tells it from any other model or network."""
    return any(word.lower() not in _PLAIN_WORDS for word in name.split()[:-1])


def _key(name: str) -> str:
    return re.sub(r"\W+", " ", name).strip().lower()


def _is_known(name: str, sentence: Sentence, known: Sequence[Mention]) -> bool:
    at = sentence.plain.find(name)
    inside = (m for m in known if m.sentence is sentence and m.credited)
    return any(m.name in name or name in m.name or _meet(sentence.plain, at, name, m.name) for m in inside)


def _meet(text: str, at: int, name: str, other: str) -> bool:
    begin = text.find(other)
    return begin >= 0 and begin < at + len(name) and at < begin + len(other)


def _without_parts(found: list[FoundTechnique]) -> list[FoundTechnique]:
    keys = [_key(f.name) for f in found]
    return [f for f, key in zip(found, keys, strict=True) if not any(key != other and key in other for other in keys)]

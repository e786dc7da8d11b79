"""Noun phrases that name a technique: what stands behind "we introduce", "via" or "using", up to the next small word.

No grammar is needed for this: a technique's name ends in a word that techniques end in (``alignment``, ``pooling``,
``distillation``), and has a modifier in front that tells it from its kind. Tasks end alike (``translation``), and are
listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRONG = _words("""
    propose proposes proposed proposing introduce introduces introducing present presents develop develops
    developed devise devises devised design designs designed employ employs employing employed incorporate
    incorporates incorporating integrate integrates integrating leverage leverages leveraging exploit exploits
    exploiting adopt adopts adopting utilize utilizes utilizing utilise utilises utilising pioneer
    equip equips equipped harness harnesses harnessing formulate
    formulates
""")
_WEAK = _words("""
    use uses using learn learns combine combines combining apply applies applying add adds adding via through
""")
_ORDINAL = re.compile(r"(?:irst|econd|hird|inal|ast|stly|ndly|rdly|inally),")
_KINDS_OF_PART = _words("""
    strategies techniques components modules mechanisms ideas innovations stages steps parts contributions methods
    objectives designs losses tasks ingredients
""")
_NUMBERED = re.compile(
    r"(?:^|(?<=[\s:;,]))(?:\(?(?:\d|i{1,3}|iv|[a-d])\)|(?:first|second|third|final|last)(?:ly)?,|finally,)\s(?=\S)",
    re.IGNORECASE,
)
_LISTING = frozenset(("including", "namely", "i.e.", ":"))
_CUES = _STRONG | _WEAK | _LISTING | {"with", "in"}
_SMALL = _words("""
    a an the this these those its our their his her and or but nor of for to in on at by with from into onto over
    under as via using through that which who whose where when while whereas if because since so than then is are
    was were be been being has have had do does did can could may might will would should must not no we they it
    he she you i s such both either between among across within without during before after against about per each
    every any some all more most less least also only just even still yet however thus hence therefore
    respectively called named termed dubbed based inspired trained learned used given built aimed designed
    obtained derived including namely i.e. e.g. to
""")
_ARTICLES = _words("""
    a an the our its two three four several multiple various different both new novel
""")
_FILLING = _words("""
    novel new simple effective efficient general lightweight scalable yet but and first practical powerful unified
    innovative additional different various multiple such strong primary main key single joint modified proposed
    specific specialized special advanced modern careful careful own other better improved efficient robust
    standard generic fast cheap popular two three four several widely-used state-of-the-art existing extensive
    comprehensive thorough large small deep neural machine further latter former same
""")
_METHOD = re.compile(
    r"(?:frameworks?|methods?|approach(?:es)?|algorithms?|strateg(?:y|ies)|techniques?|paradigms?|procedures?|models?"
    r"|pipelines?|architectures?|systems?)$"
)
_DEVICE = re.compile(
    r"(?:mechanisms?|modules?|schemes?|objectives?|functions?|terms?|rules?|heads?|layers?|blocks?|branch(?:es)?|transforms?|masks?)$"
)
_TECHNIQUE = re.compile(
    r"(?:[a-z]{3,}ing|[a-z]{3,}[ts]ion|(?:align|refine|reinforce|enhance|adjust)ment|[a-z]+i[sz]ers?|fusion|attention|retrieval"
    r"|experts|descent|replay|losses|loss|kernels?|encoders?|decoders?|adapters?|routers?|discriminators?|transformers?"
    r"|autoencoders?|search|guidance|inference|synthesis|transfer|curriculum|mixup|prompts|ensembles?|gates?|networks?"
    r"|embeddings?|machines|flows?|monologues?|priors?|memory|caches?|controllers?|planners?|generators?"
    r"|filters?|units?|estimators?|verifiers?|critics?|selectors?|extractors?|optimi[sz]ation)$"
)
_TASK = re.compile(
    r"(?:translation|recognition|answering|detection|segmentation|classification|summari[sz]ation|parsing|captioning"
    r"|tracking|recommendation|navigation|manipulation|evaluation|testing|benchmarking|driving|information|question"
    r"|questions|understanding|setting|settings|findings?|instructions?|observations?|limitations?|assumptions?"
    r"|directions?|actions?|relations?|explanations?|descriptions?|annotations?|applications?|conditions?|solutions?"
    r"|dimensions?|interactions?|decisions?|positions?|motions?|distributions?|correlations?|contributions?|functions?"
    r"|conversations?|representations?|expressions?|comprehension|hallucinations?|performance|programming|engineering"
    r"|computing|reading|writing|processing|forecasting|verification|diagnosis|conclusions?|definitions?|situations?"
    r"|regions?|versions?|options?|sessions?|captions?|mentions?|emotions?|connections?|collections?|ratings?"
    r"|demonstrations?|investigation|comparisons?|examination|experimentation|meaning|configurations?|variations?"
    r"|modell?ing|implementations?|machine|predictions?|estimations?|mitigation|elicitation|evolution|acceleration|formulations?|integration|consumption|operations?|perception|planning|simulation|completion"
    r"|extraction|reasoning|identification|locali[sz]ation|assessment|control|transitions?|generation)$"
)
_GENERIC_MODIFIER = _words("""
    language large pretrained pre-trained text image input output document visual speech video audio data model
    task multimodal multi-modal foundation real-world human target downstream training test end-to-end end neural
    deep machine scalable overall joint proposed final domain real llm llms research scientific clinical medical
    robot robotic vision-language code natural web user benchmark dataset question knowledge minimal important
    targeted accurate consistent arbitrary complex linear guaranteed language-specific task-specific
    domain-specific high-quality low-resource zero-shot cost-efficient compute-efficient interpretable expressive
    reliable student teacher path function training adversarial human-like meaningful diverse dynamic current
    previous prior careful continuous state relevant
""")
_VERBAL = re.compile(
    r"(?:(?:improv|achiev|deliver|enabl|provid|reduc|yield|outperform|allow|use|learn|generat|show|demonstrat|enhanc"
    r"|address|aim|requir|perform|maintain|captur|ensur|mak|help|lead|bring|offer|comput|tak|consider|consist|remain"
    r"|outperform|surpass)(?:e?s|e?d|ing)|against|existing|enabling|comprising|containing|involving|consisting)$"
)
_GERUND = re.compile(
    r"(?!sliding|moving|masking|gating|routing|warping|hashing|sampling|matching|pooling|boosting)[a-z]{2,}ing$"
)
_WORD = re.compile(r"i\.e\.|e\.g\.|(?:\d-?)?[A-Za-z][\w'/+-]*|\([A-Z][\w-]*s?\)|[,:;.()]")
_LAST_WORD = re.compile(r"(?<![\w-])([A-Za-z][\w'/-]*)\s$")
_BREAKS = re.compile(
    r"(?:ly|[a-z]{4}(?:ates?|izes?|ises?|ifies|ify))$|^(?:(?:improv|achiev|deliver|provid|allow|show|demonstrat|enhanc|requir"
    r"|perform|maintain|captur|ensur|mak|help|lead|bring|offer|comput|tak|reduc|outperform|surpass|train|fine-tun|finetun"
    r"|explor|extend|optimi[sz]|build|creat|construct|conduct|implement|generat|adapt|follow|embed|encod|guid|curat|imped"
    r"|encourag|support|facilitat|inspir|select|perform|run|includ|involv|requir|need|appl|tun|replac|reformulat|view|treat"
    r"|study|studi|investigat|analy[sz]|evaluat|test|compar|augment|refin|boost|strengthen|exploit|promot|see|call|form|remov|dropp?|exclud"
    r"|disabl|omitt?|ablat)"
    r"(?:e?s|e|ing)?|trained|introduced|presented|then|first|second|third|finally|next|novel|new|existing|own|of|e\.g|i\.e)$"
)
MOST_MODIFIERS = 4
LONGEST_NAME = 5
MOST_LISTED = 6


def objects(text: str, *, weak: bool = True) -> Iterator[str]:
    """Technique names behind a word of use or proposal, in reading order; a list gives each of its members.

    Args:
        text: one sentence of the authors about their own work.
        weak: also read what stands behind "using", "via" and the like.
    """
    words = _WORD.findall(text)
    seen_strong = False
    for at, word in enumerate(words):
        lower = word.lower()
        if lower not in _CUES:
            continue
        if lower in _STRONG:
            seen_strong = True
        listing = lower in _LISTING and at > 0 and (seen_strong or words[at - 1].lower() in _KINDS_OF_PART)
        listing = listing or (lower == "in" and words[at - 1].lower() in {"lies", "lie"})
        if lower in _STRONG or (weak and lower in _WEAK) or listing or (lower == "with" and seen_strong):
            yield from _listed(words, at + 1)


def numbered(text: str) -> Iterator[str]:
    """Names that a list counts: "(1) a cross-modal mask, (2) ...", "First, an adaptive fusion module that ..."."""
    if ") " not in text and not _ORDINAL.search(text):
        return
    for found in _NUMBERED.finditer(text):
        phrase, _ = _phrase(_WORD.findall(text[found.end() : found.end() + 90]), 0)
        if name := technique_name(phrase):
            yield name


def _listed(words: list[str], at: int) -> Iterator[str]:
    for _ in range(MOST_LISTED):
        phrase, at = _phrase(words, at)
        if name := technique_name(phrase):
            yield name
        if not phrase or not (following := _joined(words, at)):
            return
        at = following


def _phrase(words: list[str], at: int) -> tuple[list[str], int]:
    """The words from ``at`` to the next small word or mark; an acronym in brackets belongs to them."""
    while at < len(words) and words[at].lower() in _ARTICLES:
        at += 1
    begin = at
    while at < len(words) and words[at][0].isalpha() and words[at].lower() not in _SMALL:
        at += 1
    phrase = words[begin:at]
    if at < len(words) and words[at][0] == "(" and len(words[at]) > 1:
        at += 1
    return phrase, at


def _joined(words: list[str], at: int) -> int | None:
    """Where the next member of a list begins: behind a comma, "and", or both."""
    begin = at
    while at < len(words) and words[at].lower() in {",", "and", "or"}:
        at += 1
    return at if begin < at < len(words) else None


def modifiers(before: str) -> int:
    """Where the words begin, in the text before a name, that belong to it: "an |adaptive radial " fusion module."""
    begin = at = len(before)
    for _ in range(MOST_MODIFIERS):
        found = _LAST_WORD.search(before, max(0, at - 40), at)
        if found is None or _ends_a_name(found[1].lower()):
            break
        at = found.start()
        if found[1].lower() not in _FILLING:
            begin = at
    return begin


def _ends_a_name(word: str) -> bool:
    return word in _SMALL or word in _STRONG or word in _WEAK or word in _ARTICLES or bool(_BREAKS.search(word))


def well_formed(name: str) -> bool:
    """Whether a name has a modifier that says something, and no verb slipped into it."""
    words = name.lower().split()
    return not (
        _GERUND.fullmatch(words[0])
        or any(_VERBAL.fullmatch(w) for w in words)
        or _TASK.fullmatch(words[-1])
        or (len(words) > 1 and all(w in _GENERIC_MODIFIER for w in words[:-1]))
    )


def technique_name(phrase: list[str]) -> str | None:
    """The phrase without fillers if its last word is one that techniques end in; None for tasks and things."""
    words = list(phrase)
    while words and (words[0].lower() in _FILLING or words[0].endswith("ly")):
        words.pop(0)
    kind = bool(words) and bool(_METHOD.fullmatch(words[-1].lower()))
    if kind:
        words.pop()
    if _represents(words):
        return " ".join(words)
    compound = kind and len(words) == 1 and "-" in words[0]  # "the self-conditioning technique"
    if not (compound or 2 <= len(words) <= LONGEST_NAME) or any(_METHOD.fullmatch(w.lower()) for w in words[:-1]):
        return None
    head = words[-1].lower().rsplit("-", 1)[-1]
    if not (_DEVICE.fullmatch(head) or _TECHNIQUE.fullmatch(head)) or _TASK.fullmatch(head):
        return None
    if not well_formed(" ".join(words)):
        return None
    return " ".join(words)


def _represents(words: list[str]) -> bool:
    """Whether they tell what is represented how: "hand-centric object shape representation"."""
    return (
        2 < len(words) <= LONGEST_NAME
        and words[-1].lower().startswith("representation")
        and any("-" in word for word in words[:-1])
        and not any(_VERBAL.fullmatch(word.lower()) for word in words)
    )


_TITLE_MEANS = re.compile(r"\b(?:via|with|through|using|by)\s", re.IGNORECASE)
_CRAFT = re.compile(
    r"(?:distillation|attention|pruning|sampling|prompting|tuning|alignment|quanti[sz]ation|decoding|regulari[sz]ation"
    r"|augmentation|fusion|networks?|transformers?|routing|merging|masking|pooling|compression|contrastive learning"
    r"|optimi[sz]ation|descent|adapters?|ensembles?|experts|calibration|steering|editing|search|replay)$"
)
_TITLE_NAME = re.compile(r"^[^\s:]{2,40}(?:\s[^\s:]{1,20})?\s?:\s+")


def title_objects(title: str) -> Iterator[str]:
    """Names in a title: ``X via Y`` and ``Name: Y for X`` both name Y."""
    words = _WORD.findall(title)
    if named := _TITLE_NAME.match(title):
        phrase, _ = _phrase(_WORD.findall(title[named.end() :]), 0)
        if (name := technique_name(phrase)) and _CRAFT.search(name.lower()):
            yield name
    for at, word in enumerate(words):
        if at and _TITLE_MEANS.fullmatch(word + " "):
            yield from _listed(words, at + 1)

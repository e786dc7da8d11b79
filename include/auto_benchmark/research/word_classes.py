"""Words that noun phrases of English papers begin, break and end at, and how the name of a technique ends.

No grammar is needed to cut a sentence into noun phrases: small words and verbs part them. Endings tell the kinds apart:
what techniques end in (``alignment``, ``pooling``, ``distillation``), devices (``module``, ``loss``), methods, tasks.
"""

from __future__ import annotations

import re

from auto_benchmark.research.remembered import remembered


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PROPOSING = _words("""
    propose proposes proposed proposing introduce introduces introducing present presents develop develops
    developed devise devises devised design designs designed employ employs employing employed incorporate
    incorporates incorporating integrate integrates integrating leverage leverages leveraging exploit exploits
    exploiting adopt adopts adopting utilize utilizes utilizing utilise utilises utilising pioneer
    equip equips equipped harness harnesses harnessing formulate
    formulates
""")
_USING = _words("""
    use uses using learn learns combine combines combining apply applies applying add adds adding via through
""")
_SMALL = _words("""
    a an the this these those its our their his her and or but nor of for to in on at by with from into onto over
    under as via using through that which who whose where when while whereas if because since so than then is are
    was were be been being has have had do does did can could may might will would should must not no we they it
    he she you i s such both either between among across within without during before after against about per each
    every any some all unlike more most less least also only just even still yet however thus hence therefore
    respectively thereby whereby called named termed dubbed based inspired trained learned used given built aimed designed
    obtained derived including namely
""")
ARTICLES = _words("""
    a an the our its two three four several multiple various different both new novel
""")
_FILLING = _words("""
    novel new simple effective efficient general lightweight scalable yet but and first practical powerful unified
    innovative additional different various multiple such strong primary main key single joint modified proposed
    specific specialized special advanced modern careful own other better improved robust
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
_VERBAL = re.compile(
    r"(?:(?:improv|achiev|deliver|enabl|provid|reduc|yield|outperform|allow|use|learn|generat|show|demonstrat|enhanc"
    r"|address|aim|requir|perform|maintain|captur|ensur|mak|help|lead|bring|offer|comput|tak|consider|consist|remain"
    r"|outperform|surpass)(?:e?s|e?d|ing)|against|existing|enabling|comprising|containing|involving|consisting)$"
)
_BREAKS = re.compile(
    r"(?:ly|[a-z]{4}(?:ates?|izes?|ises?|ifies|ify))$|^(?:(?:improv|achiev|deliver|provid|allow|show|demonstrat|enhanc|requir"
    r"|perform|maintain|captur|ensur|mak|help|lead|bring|offer|comput|tak|reduc|outperform|surpass|train|fine-tun|finetun"
    r"|explor|extend|optimi[sz]|build|creat|construct|conduct|implement|generat|adapt|follow|embed|encod|guid|curat|imped"
    r"|encourag|support|facilitat|inspir|select|perform|run|includ|involv|requir|need|appl|tun|replac|reformulat|view|treat"
    r"|study|studi|investigat|analy[sz]|evaluat|test|compar|augment|refin|boost|strengthen|exploit|promot|see|call|form|remov|dropp?|exclud"
    r"|disabl|omitt?|ablat)"
    r"(?:e?s|e|ing)?|trained|introduced|presented|then|first|second|third|finally|next|novel|new|existing|own|of)$"
)

_DOES = re.compile(
    r"(?:prun|distill?|quanti[sz]|pre-?train|fine-?tun|merg|inject|(?:de)?coupl|avoid|imposes?|possess)e?s"
)
PREPOSITIONS = _words("""
    of for on in to from as with by via through into between among over under within across at about toward towards
    upon without during against like than per
""")
JOINING = frozenset((",", "and", "or"))
MARKS = frozenset(",:;.()?")
SUBJECTS = _words("""
    we our it its this these they their which that who existing previous prior methods models llms humans users
    researchers approaches work works paper experiments results study
""")
"""Words that tell whose doing a clause tells of."""
OPPOSING = _words("""
    without unlike than compared outperform outperforms outperforming surpass surpasses existing prior previous
    traditional conventional standard instead rather not no limited lack lacks limitations challenges problem issue
    issues eliminating avoid avoiding removing replace replacing need needs requires requiring over against baseline
    baselines such like popular common recent current typically often fail suffer
""")
TELLING = _words("""
    propose proposes proposed proposing introduce introduces introduced introducing present presents presented develop
    develops developed developing devise design designs designed designing employ employs employed employing use uses
    used using incorporate incorporates incorporating integrate integrates integrated integrating leverage leverages
    leveraging exploit exploits exploiting adopt adopts adopted utilize utilizes utilizing apply applies applied
    applying combine combines combined combining add adds adding via through train trains trained training learn learns
    learned learning build builds building construct creates create enable enables improve improves improving enhance
    enhances generate generates extend extends augment augments based called named termed dubbed study investigate
    analyze examine evaluate compare explore show demonstrate find outperform outperforms outperforming surpass
    surpasses than unlike existing previous prior without replace achieve achieves reduce reduces perform performs
    require requires such like including consists comprises containing formulate cast treat model capture guide encode
    predict select optimize optimizes refine fuse fine-tune pretrain distill prune address tackle mitigate overcome
    suffer suffers fail fails rely relies benchmark dataset tasks lack between against over compared
""")
"""Verbs and the like that tell what is done with the things behind them."""


@remembered
def breaks(word: str) -> bool:
    """Whether a word (lower case) or mark parts noun phrases."""
    return (
        word in MARKS
        or word in _SMALL
        or word in _PROPOSING
        or word in _USING
        or word in ARTICLES
        or bool(_BREAKS.search(word))
        or bool(_VERBAL.fullmatch(word))
        or bool(_DOES.fullmatch(word))
    )


@remembered
def is_filler(word: str) -> bool:
    """Whether a word in front of a name says nothing about the thing: "novel", "two", "widely"."""
    return word in _FILLING or word.endswith("ly")


@remembered
def ending_of(word: str) -> tuple[str, ...]:
    """What kinds of things end like ``word``: none or several of technique, device, method, task."""
    kinds = (("technique", _TECHNIQUE), ("device", _DEVICE), ("method", _METHOD), ("task", _TASK))
    return tuple(kind for kind, pattern in kinds if pattern.fullmatch(word))


@remembered
def is_verb_like(word: str) -> bool:
    """Whether a word behind a phrase probably tells what it does: it parts phrases and is no preposition."""
    return (
        breaks(word)
        and word not in PREPOSITIONS
        and word not in MARKS
        and word not in ARTICLES
        and not word.endswith("ly")
    )


@remembered
def ends_phrase(word: str) -> bool:
    """Whether a word is a plural or a verb by its -s: neither stands in front of another noun ("priors | improve")."""
    return (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "'s", "news", "series"))
    )

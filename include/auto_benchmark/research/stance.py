"""What a sentence of a paper does: put something forward, study what exists, test, compare, or doubt."""

from __future__ import annotations

import re

from auto_benchmark.research.text import Sentence


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)  # English words only; a third faster


_STUDIES = _pattern(
    r"\b(?:we|paper|work|study|article|survey|us) (?:also |then |further |first |systematically "
    r"|empirically |thoroughly |comprehensively )?(?:stud(?:y|ies)|investigat\w*|analy[sz]e\w*|examin\w*"
    r"|evaluat\w*|benchmark\w*|compar\w*|assess\w*"
    r"|prob(?:e|es)|survey\w*|review\w*|discuss\w*|revisit\w*|quantif\w*|measur\w*|test(?:s|ed)?|find|found"
    r"|observe\w*|replicat\w*|argue|question|identify|characteri[sz]\w*)\b"
)
_PROPOSES = _pattern(r"\b(?:(?<!the )(?<!our )propos\w*|introduc\w*|develop\w*|design\w*|devis\w*|novel)\b")
_PROPOSING = ("propos", "introduc", "develop", "design", "devis", "novel")
_OUR_METHOD = _pattern(
    r"\bour (?:[\w-]+ ){0,2}(?:approach|method|framework|model|algorithm|architecture|network|system)\b"
)
_OPENS_EXPERIMENT = _pattern(
    r"(?:extensive|empirical|experiment|evaluat|results?|our (?:\w+ )?(?:experiment|evaluation|result|finding|analys|stud)"
    r"|the (?:experiment|result|evaluation)|on (?:the|both|a|[a-z]+ benchmark)|in (?:our )?experiments"
    r"|through (?:extensive|comprehensive)|additional (?:experiment|analys|result|evaluation)|ablation|further analys"
    r"|human evaluation|automatic|remarkably|compared)"
)
_WE_TEST = _pattern(
    r"\bwe (?:(?:also|further|then|empirically) )?(?:evaluate|validate|test|show|demonstrate|compare|find|observe"
    r"|verify|deploy"
    r"|conduct (?:\w+ ){0,2}(?:experiment|evaluation|stud|analys|ablation|comparison|survey|test)\w*)\b"
)
_SHOWING = ("demonstrate", "show", "validate", "verify")
_TO_SHOW = _pattern(r"to(?<!\wto) (?:demonstrate|show|validate|verify)\b|showing that\b(?<!\wshowing that)")
_CODE = _pattern(r"\bcode\b")
_NEGATIVE = _pattern(
    r"\b(?:only modest|modest improvement|could be|might be|fails?|cannot|does not|do not|did not|suffers?"
    r"|insufficient|ineffective|exploratory|difficult to|impractical|prohibitive)\b"
)
_REVIEW = _pattern(
    r"\b(?:survey|review|benchmark(?:ing)?|evaluating|evaluation|assessing|dataset|corpus|corpora"
    r"|an? (?:empirical|comparative) (?:study|analysis)|understanding|investigating|analy[sz]ing|probing"
    r"|position|limitations?|testing)\b|\?$"
)
_CONTRAST = _pattern(
    r"^(?:in contrast|unlike|instead of|different from|while|although|despite|compared|whereas|though"
    r"|rather than|in comparison)\b"
)
_COMPARED = _pattern(r"\b(?:compared (?:to|with)|than|outperform\w*|surpass\w*|unlike|as opposed to|without)\b")
_FAULT_OF = _pattern(
    r"\b(?:errors?|failures?|limitations?|shortcomings?|drawbacks?|weaknesses|flaws?|lack|absence|need) (?:of|in|for)"
    r" (?:(?:the|a|an|existing|such|these|current) )*$"
)
_DENIED = _pattern(
    r"\b(?:(?:do|does|did|is|are|was|were|can|could|will|would) not(?! only)|cannot|never|without|(?:need|require)s? no"
    r"|no longer|remov\w+|avoid\w*|drop(?:s|ped|ping)?|omit\w*|eliminat\w+|replac(?:e[sd]?|ing))(?: [\w'-]+){0,4} $"
)
_COMPARED_END = _pattern(r"[,;.]|\b(?:by|using|via|through|with)\b")


def proposes_anything(sentence: Sentence) -> bool:
    """Whether it names a proposal, however doubtful."""
    lower = sentence.lower
    return any(word in lower for word in _PROPOSING) and bool(_PROPOSES.search(lower))


def proposes(sentence: Sentence) -> bool:
    """Whether a sentence puts something new forward, as against studying what exists."""
    lower = sentence.lower
    return proposes_anything(sentence) and not _NEGATIVE.search(lower) and "analysis of" not in lower


def puts_forward(sentence: Sentence) -> bool:
    """Whether a sentence proposes something, or speaks of "our approach" as something that is proposed."""
    lower = sentence.lower
    return proposes(sentence) or ("our " in lower and bool(_OUR_METHOD.search(lower)))


def studies(sentence: Sentence) -> bool:
    """Whether the authors say that they study or measure something."""
    return bool(_STUDIES.search(sentence.lower))


def compares_or_tests(sentence: Sentence) -> bool:
    """Whether it tells of experiments."""
    text = sentence.lower
    return bool(
        _OPENS_EXPERIMENT.match(text)
        or "experiment" in text
        or "outperform" in text
        or "surpass" in text
        or "state of the art" in text
        or ("we " in text and _WE_TEST.search(text))
        or (any(word in text for word in _SHOWING) and _TO_SHOW.search(text))
        or ("code" in text and _CODE.search(text))
    )


def reviews(title: Sentence) -> bool:
    """Whether a title announces a study, a data set or a question rather than something new."""
    return bool(_REVIEW.search(title.lower))


def states_use(sentence: Sentence) -> bool:
    """Whether a sentence of the authors tells how their system is made, as against studying, testing or doubting."""
    if _NEGATIVE.search(sentence.lower) or sentence.lower.endswith("?"):
        return False
    return proposes_anything(sentence) or not (studies(sentence) or compares_or_tests(sentence))


def is_set_against(sentence: Sentence, start: int) -> bool:
    """Whether what begins at ``start`` is what the authors differ from, mend or leave out."""
    text = sentence.lower
    if text.endswith("?") or (_CONTRAST.match(text) and start < (text.find(", ") if ", " in text else len(text))):
        return True
    near = text[max(0, start - 80) : start]
    if _FAULT_OF.search(near) or _DENIED.search(near):
        return True
    cues = _COMPARED.finditer(text, max(0, start - 170), start)
    return any(_COMPARED_END.search(text, cue.end(), start) is None for cue in cues)

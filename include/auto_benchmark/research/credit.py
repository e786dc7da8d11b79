"""Whether a named technique is credited with the result, or only mentioned.

Background names what others do, comparisons name what is beaten, and analyses name what is studied: all mentions.
What the authors propose, use, add or train is credited.
"""

from __future__ import annotations

import re

from auto_benchmark.research.text import Sentence

_NOT_OURS = re.compile(
    r"\b(?:than|over|unlike|versus|vs\.?|compared? (?:to|with|against)|compar\w+ [\w-]+ (?:to|with)"
    r"|(?:previous|prior|existing) (?:[\w-]+ ){0,3}[\w-]+|contrast (?:to|with)|outperform\w*|surpass\w*"
    r"|exceed\w*|beat\w*|without|w/o|instead of|rather than"
    r"|beyond|against|replac\w+|avoid\w*|eliminat\w*|bypass\w*|no|not|existing|previous|prior|traditional"
    r"|conventional|standard|baselines?|vanilla|typical|common|popular|other"
    r"|state-of-the-art|sota|recent|current|limitations? (?:of|in)|challenges? (?:of|in|for)"
    r"|problems? (?:of|in|with)|shortcomings of|drawbacks? of|success of|advances in|progress in"
    r"|like|different from|lack of|need for|whether|competitive with|comparable to|on par with|relative to"
    r"|improv\w+ over|differs? from|most)\s(?:[\w'-]+\s){0,2}(?:\w+-)*$"
)
_NOT_A_TECHNIQUE = re.compile(
    r"^(?:-based)?\s?(?:baselines?|benchmarks?|tasks?|datasets?|suites?|methods? (?:often|typically|usually"
    r"|fail|suffer|rely|require|have|are)|is (?:limited|expensive|costly|still|often)"
    r"|suffers?|fails?|struggles?|remains?|problems?|settings?|systems? (?:are|have|often)|models? (?:are"
    r"|have|often|still|such|like)|community|literature|research\b|attacks?|errors?|rates?|laws?|suites?"
    r"|data\b|evaluation|experiments?"
    r"|analys[ie]s|stud(?:y|ies)|matri(?:x|ces)\b|maps?\b|scores?\b"
    r"|(?:has|have) (?:\w+ )?(?:been|become|shown|advanced|achieved|emerged"
    r"|demonstrated|gained|made|proven)|is a (?:\w+ )?(?:general|popular|widely|fundamental|powerful"
    r"|promising)|knowledge|skills?|abilit|capabilit|paradigm)"
)
_ADOPTS = re.compile(
    r"\b(?:propos\w*|introduc\w*|present(?:s|ed)?|develop\w*|design\w*|devis\w*|us(?:e|es|ed|ing)|employ\w*"
    r"|leverag\w*|harness\w*|appl(?:y|ies|ied|ying)|adopt\w*|incorporat\w*|combin\w*|integrat\w*|augment\w*"
    r"|train\w*|fine-?tun\w*|exploit\w*|utili[sz]\w*|build\w*|construct\w*|learn(?:s|ed|ing)?|generat\w*"
    r"|creat\w*|add(?:s|ed|ing)?|perform\w*|extend\w*|equip\w*|enabl\w*|optimi[sz]\w*|adapt\w*"
    r"|through|via|based on|by means|consists? of|compris\w*|contains?|novel|new|our|core|key|central"
    r"|framework|approach|method|mechanism|module|strategy|enhanc\w*|improv\w*|reformulat\w*|formulat\w*"
    r"|encod\w*"
    r"|embed\w*|predict\w*|select\w*|obtain\w*|achiev\w*|implement\w*|conduct\w*|follow\w*|perform\w*"
    r"|prun\w*|compress\w*|reduc\w*|guid\w*|cast|treat\w*|model(?:s|ed|ing)?|captur\w*|process(?:ed|es)?|fed|refin\w*|fus(?:e[sd]?|ing)|fit(?:s|ted)?|first|then)\b"
)
_STUDIES = re.compile(
    r"\b(?:we|paper|work|study|article|survey|us) (?:also |then |further |first |systematically "
    r"|empirically |thoroughly |comprehensively )?(?:stud(?:y|ies)|investigat\w*|analy[sz]e\w*|examin\w*"
    r"|evaluat\w*|benchmark\w*|compar\w*|assess\w*"
    r"|prob(?:e|es)|survey\w*|review\w*|discuss\w*|revisit\w*|quantif\w*|measur\w*|test(?:s|ed)?|find|found"
    r"|observe\w*|replicat\w*|argue|question|identify|characteri[sz]\w*)\b"
)
_PROPOSES = re.compile(r"\b(?:(?<!the )(?<!our )propos\w*|introduc\w*|develop\w*|design\w*|devis\w*|novel)\b")
_OUR_METHOD = re.compile(
    r"\bour (?:[\w-]+ ){0,2}(?:approach|method|framework|model|algorithm|architecture|network|system)\b"
)
_EXPERIMENT = re.compile(
    r"^(?:extensive|empirical\w*|experiment\w*|evaluat\w*|results?|our (?:\w+ )?(?:experiment|evaluation"
    r"|result|finding|analys|stud)\w*|the (?:experiment|result"
    r"|evaluation)\w*|on (?:the|both|a|[a-z]+ benchmark)"
    r"|in (?:our )?experiments|through (?:extensive|comprehensive)|additional (?:experiment|analys|result|evaluation)"
    r"|ablation|further analys"
    r"|human evaluation|automatic|remarkably|compared)|\bexperiment(?:s|al)\b|\bwe (?:also "
    r"|further |then |empirically )?(?:evaluate|validate|test|show|demonstrate|compare|find|observe"
    r"|verify|deploy|conduct (?:\w+ ){0,2}(?:experiment|evaluation|stud|analys|ablation|comparison|survey|test)\w*)\b"
    r"|\bto (?:demonstrate|show|validate|verify)\b|\bshowing that\b"
    r"|\boutperform|\bsurpass|\bstate of the art\b|\bcode\b"
)
_NEGATIVE = re.compile(
    r"\b(?:only modest|modest improvement|could be|might be|fails?|cannot|does not|do not|did not|suffers?"
    r"|insufficient|ineffective|exploratory|difficult to|impractical|prohibitive)\b"
)
_GOVERNED = re.compile(
    r"(?:(?P<word>[\w'-]+)\s|\()(?P<by>of|for|between|among|in|on|from|across|to|into|about|regarding|within|under"
    r"|during|as|where|that|which)\s(?:(?!(?:with|by|using|via|through|our|of|for|between|among|in|on|from"
    r"|across|to|into|about|regarding|within|under|during|as|where|that|which|is|are|was|be|can|uses?"
    r"|adopts?|employs?|leverages?)\b)[\w'-]+(?:,(?! and\b))?\s){0,4}$"
)
_CONTRAST = re.compile(
    r"^(?:in contrast|unlike|instead of|different from|while|although|despite|compared|whereas|though"
    r"|rather than|in comparison)\b"
)
_COMPARED = re.compile(r"\b(?:compared (?:to|with)|than|outperform\w*|surpass\w*|unlike|as opposed to|without)\b")
_COMPARED_END = re.compile(r"[,;.]|\b(?:by|using|via|through|with)\b")
_STUDIED = re.compile(
    r"\b(?:assess|evaluat|measur|benchmark|stud(?:y|ies|ying)|investigat|analy[sz]|understand|examin|explor"
    r"|compar)\w*\s(?:[\w'-]+\s){0,4}$"
)
_USUAL = re.compile(
    r"\b(?:typically|usually|commonly|often|traditionally|generally)\b[^,;]*$"
    r"|\b(?:popular|common|existing|conventional|standard|used)\s(?:techniques?|methods?|approaches|models?"
    r"|strategies)\s(?:like|such as|including|using)\b[^;]*$"
    r"|\b(?:models|systems|agents|methods|policies) (?:that|which)\b[^.;]{0,100}\bsuch as\b[^;]*$"
)
_DEFINED = re.compile(
    r"^\s?(?:\([a-z][\w-]*\)\s)?(?:is|are|was|were|has|have)\s(?:been\s)?(?:an?|the|designed|known|defined"
    r"|widely|commonly|used|typically|often|shown|proven|considered)\b"
)
_SERVES = re.compile(r"\b(?:us(?:e|es|ed|ing)|leverag\w+|employ\w*|serv\w+|treat\w*|cast\w*|formulat\w*)\b")
_HARD = re.compile(
    r"\b(?:(?:challenges?|limitations?|shortcomings?|drawbacks?|difficult(?:y|ies)|testbeds?|benchmarks?|problems?"
    r"|advances|progress|lack|need|needs|(?:empirical|systematic|comparative|comprehensive|large-scale|in-depth)"
    r" (?:stud(?:y|ies)|analys[ei]s|evaluation|comparison|survey)) (?:for|of|on|in|to|with)|in terms of"
    r"|pav(?:e|es|ing) the way for|call(?:s|ing)? for)\b"
)
_HARD_END = re.compile(r"[;.]|\b(?:we|our|this)\b")
_BY_OTHERS = re.compile(
    r"\b(?:existing|previous|prior|current|these|other|strong|several) (?:methods|approaches|works?|models|techniques"
    r"|algorithms|baselines|competitors)\b"
    r"|\bbefore and after\b"
)
_BY_OTHERS_END = re.compile(r"[;.]|\b(?:we|our|by|using|with|via)\b")
_ACTED_UPON = re.compile(
    r"(?:^|: ?|\b(?:on|for|and|towards?) )(?:compressing|understanding|detecting|mitigating|reducing|preventing|attacking"
    r"|defending|explaining|interpreting|measuring|quantifying|predicting|accelerating|speeding up|rethinking"
    r"|revisiting|evaluating|probing|diagnosing|improving|enhancing|boosting|advancing|strengthening|scaling|extending)\s(?:[\w-]+\s){0,3}$"
)
_EXAMPLE = re.compile(r"\((?:e\.g\.|such as|for example|for instance)[^)]*$")
_CREDITING_OF = re.compile(
    r"^(?:usage|application|form|combination|power|mixture|variant|version|set|kind|type|integration"
    r"|series|ensemble|effectiveness|efficacy|benefits?|importance|adoption|introduction|addition"
    r"|class|family|consists|composed|inclusion|means|pair|pairs|variety|suite|stack|framework|novel"
    r")$"
)
_CREDITING_ON = re.compile(
    r"^(?:train|fine-?tun|pre-?train|tun|bas|built|build|rel(?:y|ies)|learn|focus|trained|found|reli|cent"
    r"|rest|optimi|distil|operat)\w*$"
)
_CREDITING_FOR = re.compile(
    r"^(?:used|utilized|use|employed|mechanism|method|approach|algorithm|strategy|scheme|procedure)$"
)
_TIED = re.compile(
    r"(?:^with|\bwith our|\b(?:our|proposed|using|via|through|by|of our|when|combining|adding|integrating"
    r"|based on|apply\w*|leveraging|employing|along with))\s(?:[\w'-]+\s){0,3}$"
)
_EFFECT = re.compile(
    r"^(?:[\w\s-]{0,30}?)\b(?:improv\w*|boost\w*|enhanc\w*|reduc\w*|yield\w*|lead\w*|enabl\w*|help\w*"
    r"|increas\w*|is (?:key|crucial|critical|essential|effective|beneficial)|are (?:key|crucial|critical"
    r"|essential|effective))\b"
)
_REVIEW = re.compile(
    r"\b(?:survey|review|benchmark(?:ing)?|evaluating|evaluation|assessing|dataset|corpus|corpora"
    r"|an? (?:empirical|comparative) (?:study|analysis)|understanding|investigating|analy[sz]ing|probing"
    r"|position|limitations?|testing)\b|\?$"
)


def proposes(sentence: Sentence) -> bool:
    """Whether a sentence puts something new forward, as against studying what exists."""
    return (
        bool(_PROPOSES.search(sentence.lower))
        and not _NEGATIVE.search(sentence.lower)
        and "analysis of" not in sentence.lower
    )


def is_credited(sentence: Sentence, start: int, end: int, *, own: bool) -> bool:
    """Whether the technique named at ``sentence.plain[start:end]`` is credited with the authors' result.

    Args:
        sentence: the sentence that names it; index -1 is the title.
        start: where the name begins.
        end: where it ends.
        own: whether the authors speak of their own work (of a title: whether the text proposes anything).
    """
    text = sentence.lower
    left, right = text[max(0, start - 60) : start], text[end : end + 60]
    if (
        not own
        or in_contrast(text, start)
        or _EXAMPLE.search(left)
        or _STUDIED.search(left)
        or _reaches(_COMPARED, _COMPARED_END, text, start)
        or _USUAL.search(left)
        or _reaches(_HARD, _HARD_END, text, start)
        or _reaches(_BY_OTHERS, _BY_OTHERS_END, text, start)
        or _NOT_OURS.search(left)
        or _NOT_A_TECHNIQUE.match(right)
        or _is_object(left)
    ):
        return False
    if text.endswith("?") or (start < 4 and _DEFINED.match(right)):
        return False
    if sentence.index < 0:
        return not _REVIEW.search(text) and not _ACTED_UPON.search(left)
    if _NEGATIVE.search(re.split(r"[,;]", left)[-1]) or _NEGATIVE.search(re.split(r"[,;]", right)[0]):
        return False
    if _STUDIES.search(text) and not _PROPOSES.search(text):
        return bool(_TIED.search(left)) and not text.startswith("we ") and bool(_EFFECT.match(right))
    if _EXPERIMENT.search(text) and not _PROPOSES.search(text):
        return bool(_TIED.search(left)) or bool(_EFFECT.match(right))
    return bool(_ADOPTS.search(text))


def puts_forward(sentence: Sentence) -> bool:
    """Whether a sentence proposes something, or speaks of "our approach" as something that is proposed."""
    return proposes(sentence) or bool(_OUR_METHOD.search(sentence.lower))


def reviews(title: Sentence) -> bool:
    """Whether a title announces a study, a data set or a question rather than something new."""
    return bool(_REVIEW.search(title.lower))


def states_use(sentence: Sentence) -> bool:
    """Whether a sentence of the authors tells how their system is made, as against studying, testing or doubting."""
    text = sentence.lower
    proposing = bool(_PROPOSES.search(text))
    if _NEGATIVE.search(text) or text.endswith("?"):
        return False
    return proposing or not (_STUDIES.search(text) or _EXPERIMENT.search(text))


def _reaches(cue: re.Pattern[str], end: re.Pattern[str], text: str, start: int) -> bool:
    """Whether a cue stands in front of ``start`` with nothing between them that ends what it governs."""
    return any(end.search(text, m.end(), start) is None for m in cue.finditer(text, max(0, start - 170), start))


def in_contrast(text: str, start: int) -> bool:
    """Whether a name at ``start`` stands in an opening clause about others: "Unlike methods that use X, we ..."."""
    return bool(_CONTRAST.match(text)) and start < (text.find(", ") if ", " in text else len(text))


def _is_object(left: str) -> bool:
    """Whether a preposition makes the name part of something else: "errors of X", "a method for X"."""
    governed = _GOVERNED.search(left)
    if governed is None:
        return False
    word, by = governed["word"] or "", governed["by"]
    if by in {"of", "in"}:
        return not (_CREDITING_OF.match(word) or (by == "of" and word == "use"))
    if by in {"on", "from"}:
        return not _CREDITING_ON.match(word)
    if by == "as" and _SERVES.search(left[: governed.start("by")]):
        return False
    if by in {"that", "which", "where", "as", "to"}:
        return (
            by == "to"
            and word != "approach"
            and not re.search(
                r"\bto (?:use|apply|employ|leverage|adopt|incorporate|perform|train|augment|combine|integrate"
                r"|introduce|propose|learn|add|generate|build|design|develop|create|construct|exploit|utilize"
                r"|conduct|guide|implement|prune|compress|form|enable|extend)\b",
                left[governed.start("by") :],
            )
        )
    return not (by == "for" and _CREDITING_FOR.match(word))

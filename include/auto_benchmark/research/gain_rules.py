"""When a number is an improvement that the authors claim.

A number alone never is. It needs a word of improvement that governs it: directly behind ("12% higher"), in front with
``by`` ("reduces latency by 12%") or ``of`` ("a speedup of 3x"), or as one of a list whose other member has one.
Shares ("in 58% of trials"), costs, drops of good metrics and rises of bad ones are not improvements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from auto_benchmark.research.lexicon import METRIC, RESOURCE, UNWANTED, polarity
from auto_benchmark.research.quantities import NumberForm, Quantity

_UP_VERB = (
    r"improv\w*|increas(?:e|es|ed|ing)|boost\w*|enhanc\w*|rais(?:e|es|ed|ing)|gain(?:s|ed|ing)?|lift(?:s|ed|ing)?"
    r"|out-?perform\w*|surpass\w*|exceed\w*"
    r"|beat(?:s|ing)?|better(?:s|ing)|advanc\w*|elevat\w*|outpac\w*|ahead|higher|uplift|outscor\w*|excels?"
    r"|elevat\w*|strengthen\w*|better|expand\w*|extend\w*"
)
_DOWN_VERB = (
    r"reduc\w*|decreas\w*|lower(?:s|ed|ing)?|cut(?:s|ting)?|sav(?:e|es|ed|ing|ings)|shr[iu]nk\w*|minimi[sz]\w*"
    r"|compress\w*|trim(?:s|med)?|slash\w*|mitigat\w*|alleviat\w*|shorten\w*"
)
_SPEED_VERB = r"speed(?:s|ed|ing)?(?:[ -]?ups?)?|speedups?|accelerat\w*|faster"
_WORSE_VERB = (
    r"drop(?:s|ped|ping)?|declin\w*|degrad\w*|deteriorat\w*|wors\w*|los(?:e|es|ing|s)|suffer\w*|falls?|fell"
    r"|plummet\w*|fluctuat\w*|vary|varies|varying|differ\w*|disparit\w*|gaps?|sacrific\w*|underperform\w*|lags?"
    r"|trails?"
)
_VERB = re.compile(
    rf"\b(?:(?P<up>{_UP_VERB})|(?P<down>{_DOWN_VERB})|(?P<speed>{_SPEED_VERB})|(?P<worse>{_WORSE_VERB}))(?![\w-])"
)
_MODIFIER = (
    r"(?:(?:up to|up|as much as|at least|at most|more than|less than|no less than|over|about|around"
    r"|approximately|approx\.|roughly|nearly|almost|on average|average|averaging"
    r"|an?|the|margins? of|factors? of|additional|another|further|significant(?:ly)?|substantial(?:ly)?"
    r"|impressive(?:ly)?|notabl[ey]|remarkable|absolute(?:ly)?|relative(?:ly)?"
    r"|only|just|even|well|some|mean|median|maximum|from|between|and|in|of|ranging|above|as high as|to"
    r"|considerable|large|total|points?|~|≈|>|≥)\s*)"
)
_EARLIER = r"(?:[+~]?\d[\d.]*(?:%|×|x)?(?: [\w-]+)?(?:,? and|,|,? or)\s+){0,3}"
_BY = re.compile(rf"\bby\s+{_MODIFIER}{{0,6}}{_EARLIER}\(?$")
_RIVALS_SCORE = r"(?![^()]*\b(?:over|than|vs|versus|relative|compared)\b[^()]*\((?:[\d~][^()]*)?$)"
"""Not behind "improvement over the baseline (": the bracket holds what the baseline scores."""
_OF = re.compile(
    r"\b(?P<noun>improvements?|gains?|increases?|boosts?|uplifts?|reductions?|decreases?|drops?|speed[ -]?ups?"
    r"|savings?|margins?|acceleration|leads?|advantages?|enhancements?|rises?"
    rf"|compression(?: (?:rates?|ratios?))?)\b{_RIVALS_SCORE}(?: (?!(?:and|while|with)\b)[\w@/-]+){{0,7}}?"
    rf"(?: in [\w-]+ and [\w-]+)?\s*[:(,]?\s*(?:of"
    rf"|by|at|as high as|above|between|ranging|averaging|up|over|reach\w*"
    rf"|\()\s*{_MODIFIER}{{0,6}}{_EARLIER}$"
)
_DIRECT = re.compile(
    rf"\b(?:{_UP_VERB}|{_DOWN_VERB}|{_SPEED_VERB})(?: (?!and\b|on\b|in\b|with\b|by\b|from\b"
    rf"|to\b)[\w@-]+){{0,3}}(?:, even)?\s+(?:up to|at least|over|nearly|~)\s*$"
)
_INCLUDING = re.compile(r"\b(?:improv|gain|increas|reduc)\w*[^.;:%]{0,100},? including (?:up to |about )?$")
_BRACKET = re.compile(
    r"\b(?:improv|increas|boost|enhanc|reduc|decreas|lower|outperform|surpass)\w*(?: [\w@-]+){1,5} \((?:by "
    r"|up to |about |~)+$"
)
_CUT = re.compile(
    r"\b(?:reduc(?:e|es|ing)|cut(?:s|ting)?|sav(?:es?|ing)|eliminat(?:e|es|ing))\s(?:up to |about |around "
    r"|over |more than |nearly |~)?$"
)
_GAINING = re.compile(
    r"\b(?:gain|add|improv|bring|yield)(?:s|es|ing|ed|e)?\s(?:an? |about |around |over |up to |at least "
    r"|another |~)*$"
)
_BARE_END = re.compile(
    r"^\s?(?:$|[,;.)]|(?:on|in|over|at|and|compared|to|for|while|with|when|across|relative|versus|vs|against)\b)"
)
_FUNCTION = (
    r"(?:of|and|or|in|on|at|with|while|the|for|by|to|from|as|is|are|was|were|than|using|when|that|which"
    r"|compared|versus|vs)\b"
)
_AFTER = re.compile(
    rf"^\s?(?:on average |in average )?(?:(?!{_FUNCTION})[\w@'-]+(?:/[\w-]+)?\s){{0,3}}?"
    r"(?P<word>improvements?|gains?|increases?|boosts?|uplifts?|reductions?|decreases?|speed[ -]?ups?|savings?"
    r"|compression|acceleration|advantages?|leads?|enhancements?"
    r"|higher|better|more|fewer|less|lower|faster|quicker|smaller|shorter|longer|cheaper|greater|larger"
    r"|increased?|reduced|saved|margin)(?![\w-])"
)
_ITSELF = re.compile(r" (?:than|accurate|efficient|effective|robust|reliable|successful|sample-efficient|precise)\b")
_HIGHER = re.compile(r"^ (?P<word>higher|lower|better|greater) (?P<what>[\w@ -]{2,40})")
_THE_AFTER = re.compile(r"^ (?:the|higher) (?:[\w-]+ )?(?:throughput|speed|efficiency|performance)\b")
_ABOVE = re.compile(
    r"^ above (?:the |all )?(?:previous |prior |current |strong(?:est)? )?(?:state|sota|best|baselines?)\b"
)
_OF_GAIN = re.compile(
    r"^ of (?:(?:absolute|relative|additional|further) )?(?P<word>improvement|gain|increase|reduction)\b"
)
_CLAIMING = re.compile(
    r"\b(?:yield|bring|achiev|obtain|deliver|offer|provid|giv|gain|observ|enjoy)\w*(?: (?:an?|up|to|over|about|around"
    r"|more|than|at|least|additional|another|average|of)){0,4} $"
)
_BRACKETED = re.compile(
    r"^\) (?P<word>improvements?|gains?|increases?|boosts?|reductions?|speed[ -]?ups?|savings?)\b"
)
_LISTED_ON = re.compile(r"^\s?(?:$|[,.;]|(?:on|in|for|over|and)\b)")
_SMALLER_THAN = re.compile(
    r" (?:and \d|than (?:the |its |their )?(?:baselines?|teachers?|originals?|full|large|state|best)\b)"
)
_MINOR = re.compile(r"\b(?:minimal|negligible|slight|small|minor|marginal|modest|mere)(?: \w+){0,2} $")
_AS_AFTER = re.compile(r"^ as (?:fast|good|accurate|efficient|high|many|much)\b")
_SHARE = re.compile(
    r"^\s?(?:of\b|accuracy of|confidence|chance|probability|likelihood|pass rate|human|sparsity|quantile|percentile)"
)
_CERTAINTY = re.compile(r"^\s?(?:confidence|quantile|percentile|chance|probability)\b")
_WORSE_AFTER = re.compile(
    r"^\s?(?:(?!with\b|without\b|at\b|and\b|while\b)[\w-]+\s){0,4}?"
    r"(?:drops?|degradations?|declines?|loss(?:es)?|overheads?|gaps?|disparit\w+"
    r"|disagree\w*|differences?|slower|worse|deteriorat\w+)\b"
)
_CONSUMED = re.compile(
    r"(?:trained|pre-?trained|us(?:ing|es|ed)|consum\w+|requir\w+|with|surpass\w+|outperform\w+|than"
    r"|match\w*|ensembl\w*|of|are|is)\s+(?:(?:\w+|[\d.]+[%×x]?,?)\s){0,6}?$"
)
_FOUND = re.compile(
    r"\b(?:identif|detect|find|discover|uncover|recover|remov|filter|mitigat|resolv|fix|catch|correct)\w*[^,;]{0,40}$"
)


LARGEST_YIELD = 20.0
"""Points of a named metric that "yields" may add; above, it is the score itself."""


@dataclass(frozen=True, slots=True)
class GainVerdict:
    """Why a number counts.

    Attributes:
        word: the word of improvement.
        down: the claim is that something shrinks.
    """

    word: str
    down: bool = False


def judge(text: str, quantity: Quantity) -> GainVerdict | None:
    """Whether ``quantity`` states an improvement in ``text`` (lower case), and by which word."""
    left, right = text[max(0, quantity.start - 220) : quantity.start], text[quantity.end : quantity.end + 120]
    if quantity.form is not NumberForm.BARE and (gained := _OF_GAIN.match(right)):
        return _judge_after(left, right, gained, quantity) if _CLAIMING.search(left) else None
    if _SHARE.match(right) and not _share_is_gain(left, right):
        return None
    if _WORSE_AFTER.match(right):
        return None
    if (quantity.plus or quantity.form is not NumberForm.BARE) and (
        after := _AFTER.match(right) or _BRACKETED.match(right)
    ):
        return _judge_after(left, right, after, quantity)
    if beside := _judge_beside(left, right, quantity):
        return beside
    if of := _OF.search(left):
        return _judge_noun(left, right, of, quantity)
    if quantity.form is NumberForm.BARE and not _BARE_END.match(right):
        return None
    if _BY.search(left):
        return _judge_verb(left, right)
    return None if quantity.form is NumberForm.BARE else _judge_with_unit(left, right, quantity)


def _judge_with_unit(left: str, right: str, quantity: Quantity) -> GainVerdict | None:
    """What only a number with a unit can state: ``reduces memory up to 3x``, ``gains 2 points``."""
    if _DIRECT.search(left):
        return _judge_verb(left, right)
    if (including := _INCLUDING.search(left)) and _LISTED_ON.match(right):
        return _judge_verb(including[0], right)
    gaining = _GAINING.search(left)
    pointed = quantity.form is NumberForm.POINTS and not (gaining and _is_score(gaining[0], quantity))
    if gaining and (pointed or (quantity.form is NumberForm.PERCENT and gaining[0].startswith("gain"))):
        return GainVerdict("gain")
    if _BRACKET.search(left):
        return _judge_verb(left, right)
    if quantity.form is NumberForm.PERCENT and _CUT.search(left):
        return GainVerdict("reduces", down=True)
    return GainVerdict("+") if quantity.plus else None


def _is_score(word: str, quantity: Quantity) -> bool:
    """Whether "yields 48.7 accuracy" tells what was reached: no gain is that large."""
    return word.startswith(("yield", "bring")) and bool(quantity.named) and quantity.value > LARGEST_YIELD


def _judge_beside(left: str, right: str, quantity: Quantity) -> GainVerdict | None:
    """``0.3 higher correlation``, ``F1 of 92.1 (+0.8)``, ``3x efficient``, ``twice as fast``."""
    if quantity.form is NumberForm.BARE and (higher := _HIGHER.match(right)):
        better = -1 if higher["word"] == "lower" else 1
        return GainVerdict(higher["word"], down=better < 0) if polarity(higher["what"]) == better else None
    if quantity.form is NumberForm.BARE and quantity.plus and left.endswith("(") and right.startswith(")"):
        return GainVerdict("+") if polarity(left[-60:]) > 0 else None
    if quantity.form is NumberForm.BARE and quantity.plus and re.search(rf"\b{METRIC}(?: scores?)? $", left):
        return GainVerdict("+")
    if quantity.form in {NumberForm.POINTS, NumberForm.PERCENT} and _ABOVE.match(right):
        return GainVerdict("above") if polarity(left[-60:]) >= 0 else None
    if quantity.form is NumberForm.FOLD and quantity.value > 1 and _THE_AFTER.match(right):
        return GainVerdict("higher")
    if quantity.form is NumberForm.FOLD and right.startswith(" efficient"):
        return GainVerdict("efficient")
    return GainVerdict("as") if quantity.form is NumberForm.FOLD and _AS_AFTER.match(right) else None


def _share_is_gain(left: str, right: str) -> bool:
    """Whether a share is what was won or cut; "a gain at 95% confidence" tells how sure the authors are of it."""
    return not _CERTAINTY.match(right) and bool(_OF.search(left) or _CUT.search(left))


def _judge_after(left: str, right: str, after: re.Match[str], quantity: Quantity) -> GainVerdict | None:
    word = after["word"]
    tail = right[after.end() :]
    of_itself = bool(_ITSELF.match(tail)) and word in {"more", "greater", "longer"}  # "26% more than the other"
    if (
        word in {"larger", "bigger", "smaller", "more", "greater", "longer"}
        and _CONSUMED.search(left)
        and not of_itself
    ):
        shrunk = RESOURCE.match(tail.lstrip()) or (quantity.form is NumberForm.FOLD and _SMALLER_THAN.match(tail))
        return GainVerdict(word, down=True) if word == "smaller" and shrunk else None
    if word in {"larger", "bigger"} and not re.match(
        r"[\w -]{0,12}(?:context|batch|throughput|improve|gain|reduc|speed)", tail
    ):
        return None
    if word in {"more", "longer", "greater"} and (found := RESOURCE.match(tail.lstrip())):
        return GainVerdict(word) if found[0].startswith("memory") and "saving" in found[0] else None
    named = _object(tail, right[: after.start("word")])
    up = word in {"more", "higher", "greater", "longer", "increase", "increases", "increased"} or word.startswith(
        ("boost", "uplift")
    )
    if up and polarity(named) < 0 and not _FOUND.search(left):
        return None
    down = word.startswith(
        ("reduc", "decreas", "fewer", "less", "lower", "smaller", "shorter", "cheaper", "sav", "compress")
    )
    if (
        down
        and word.startswith(("lower", "reduc", "decreas", "less", "fewer"))
        and polarity(named) > 0
        and not RESOURCE.search(named)
    ):
        return None
    if (
        re.search(
            r"\b(?:(?:suffer|caus)\w* (?:in |from )?|result\w* (?:in|from) )(?:an? )?(?:\w+ )?(?:up to )?$", left
        )
        and down
    ):
        return None
    return GainVerdict(word, down=down)


def _object(tail: str, between: str) -> str:
    """What is said to improve: the words before the improving word, or those after it up to a clause's end."""
    stop = re.search(
        r"[,;:.()]| (?:than|over|compared|while|and|on|with|using|when|for|across|at|by|versus|vs|relative to)\b",
        tail,
    )
    return between + " " + (tail[: stop.start()] if stop else tail[:60])


def _judge_noun(left: str, right: str, of: re.Match[str], quantity: Quantity) -> GainVerdict | None:
    noun = of["noun"]
    named = left[of.start() :] + _object(right, "")
    down = noun.startswith(("reduc", "decreas", "sav", "drop", "compress"))
    before = left[: of.start()][-50:]
    if quantity.form is NumberForm.BARE and (not polarity(named + before) or not _BARE_END.match(right)):
        return None
    if noun.startswith(("increas", "rise")) and polarity(before.rsplit(",", 1)[-1] + named) < 0:
        return None
    if noun.startswith("decrease") and _MINOR.search(before):
        return None  # a price, not a claim: "a minimal decrease of 1%"
    if noun.startswith("drop") and polarity(before + named) >= 0:
        return None
    if noun.startswith(("lead", "advantage")) and quantity.form is NumberForm.BARE:
        return None
    return GainVerdict(noun, down=down)


def _judge_verb(left: str, right: str) -> GainVerdict | None:
    verbs = list(_VERB.finditer(left))
    if not verbs:
        return None
    verb = verbs[-1]
    subject = left[verb.end() :]
    if re.search(r"[;:]|\b(?:while|whereas|although)\b", subject):
        return None
    named = subject + " " + _object(right, "")
    before = left[: verb.start()].rsplit(",", 1)[-1][-60:]
    if verb["worse"]:
        return (
            GainVerdict(verb[0], down=True)
            if polarity(before) < 0 and verb[0].startswith(("drop", "fall", "fell", "declin"))
            else None
        )
    if verb["up"]:
        rising = verb[0].startswith(("increas", "rais", "higher", "expand", "extend"))
        bad = UNWANTED.search(subject) or RESOURCE.match(subject.strip())
        return None if rising and bad else GainVerdict(verb[0])
    if verb["down"]:
        good = polarity(subject) > 0 and not RESOURCE.search(subject)
        return None if good else GainVerdict(verb[0], down=True)
    del named
    return GainVerdict(verb[0])

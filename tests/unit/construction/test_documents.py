"""A user's texts become passages that every later file may hold, or are refused by name."""

import pytest

from auto_benchmark.construction.source import Description
from auto_benchmark.construction.sources.documents import documents
from auto_benchmark.errors import InputError


def test_controls_and_a_byte_order_mark_are_no_text(tmp_path):
    sentences = [f"The \x1b[31mriver\x07 has {i} stones and {i + 100} boats.\x0c" for i in range(30)]
    (tmp_path / "one.txt").write_text("\ufeff" + "\n\n".join(sentences))
    made = documents(tmp_path).generate(
        Description("documents", "number", {"passage": 12, "hidden_words": 0}), 10, "x"
    )
    text = "".join(item.asked.text() for item in made)
    assert "[31mriver has" in text and not {c for c in text if c == "\ufeff" or (c < " " and c != "\n")}


def test_a_text_in_two_bytes_a_sign_is_refused_by_name(tmp_path):
    (tmp_path / "wide.txt").write_bytes("It has 7 boats. ".encode("utf-16"))
    with pytest.raises(InputError, match=r"wide.txt: holds NUL"):
        documents(tmp_path)

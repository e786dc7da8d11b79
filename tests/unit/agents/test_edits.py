"""What a model writes becomes edits of editable files: all of them, or none and a reason that it can work with."""

from __future__ import annotations

import pytest
from tests.growth import assert_grows_linearly

from auto_benchmark.agents.edits import Edit, EditError, ModelReply, edited, read_answer
from auto_benchmark.agents.workspace import File

BLOCK = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
REPLACED = Edit("main.py", "x = 1\n", "x = 2\n")
WHOLE = Edit("main.py", None, "x = 2\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"I double it.\n\nFILE: main.py\n{BLOCK}", REPLACED),
        (f"FILE: `main.py`\n```python\n{BLOCK}```\n", REPLACED),
        (f"```python\nmain.py\n{BLOCK}```\n", REPLACED),
        (f"**main.py**\n\n{BLOCK}", REPLACED),
        (f"### main.py\r\n{BLOCK}".replace("\n", "\r\n").replace("\r\r", "\r"), REPLACED),
        ("FILE: main.py\n```python\nx = 2\n```\nThat is all.", WHOLE),
        ("File: main.py\n~~~\nx = 2\n~~~", WHOLE),
        ('{"edits": [{"file": "main.py", "search": "x = 1\\n", "replace": "x = 2\\n"}]}', REPLACED),
        ('```json\n{"edits": [{"path": "main.py", "content": "x = 2\\n"}]}\n```', WHOLE),
        ('{"files": {"main.py": "x = 2\\n"}}', WHOLE),
        ("FILE: main.py\n````\nx = 2\n````", WHOLE),
        ("Here it is:\n\n```python main.py\nx = 2\n```", WHOLE),
        ("```python:main.py\nx = 2\n```", WHOLE),
        ('```py title="main.py"\nx = 2\n```', WHOLE),
    ],
)
def test_the_forms_that_models_write(text: str, expected: Edit) -> None:
    assert read_answer(text) == ModelReply((expected,), False)


def test_several_blocks_of_several_files() -> None:
    text = f"FILE: a.py\n{BLOCK}\nand\n\n{BLOCK}\nFILE: b.py\n```\nnew\n```\n"
    assert [edit.file for edit in read_answer(text).edits] == ["a.py", "a.py", "b.py"]


def test_an_example_in_a_fence_is_no_file() -> None:
    text = f"FILE: a.py\n{BLOCK}\nIt runs as follows:\n```\npython a.py\n```\n"
    assert [edit.search for edit in read_answer(text).edits] == ["x = 1\n"]


@pytest.mark.parametrize(
    ("text", "is_done"),
    [("DONE", True), ("Nothing helps.\nDONE\n", True), ("I am DONE here", False), ('{"done": true}', True)],
)  # fmt: skip
def test_a_model_can_say_that_it_is_done(text: str, is_done: bool) -> None:
    assert read_answer(text) == ModelReply((), is_done)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BLOCK, "without the line FILE"),
        (f"FILE: main.py\n{BLOCK.replace('=======', '---')}", "a block without its ======="),
        (f"FILE: main.py\n{BLOCK.replace('>>>>>>> REPLACE', '')}", "a block without its >>>>>>> REPLACE"),
        ("FILE: main.py\n```\nx = 2\n", "line 2: the fence is never closed"),
        ('{"edits": [{"file": 3}]}', "edits.0.file: should be text"),
        ('{"edits": [[]]}', "edits.0: should be an object"),
        ('{"files": {"a": {"b": 1}}}', "files.a: should be text"),
        ("FILE: m\n" + BLOCK * 201, "201 edits"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, why: str) -> None:
    with pytest.raises(EditError) as refused:
        read_answer(text)
    assert why in str(refused.value)


FILES = {"main.py": File(b"x = 1\ny = 1\ny = 1\n", executable=True), "fixed.py": File(b"z\n")}


def test_edits_apply_one_after_the_other() -> None:
    edits = [Edit("main.py", "x = 1\n", "x = 2\n"), Edit("main.py", "x = 2\ny = 1\n", ""), Edit("src/new.py", None, "n"),
             Edit("src/other.py", "", "o\n")]  # fmt: skip
    assert edited(FILES, edits, ("main.py", "src")) == {
        "main.py": File(b"y = 1\n", executable=True),
        "src/new.py": File(b"n"),
        "src/other.py": File(b"o\n"),
    }


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Edit("fixed.py", None, ""), "fixed.py: is not editable; you may edit main.py, src"),
        (Edit("../main.py", None, ""), "is not editable"),
        (Edit("src/../../etc/passwd", None, ""), "is not editable"),
        (Edit("/etc/passwd", None, ""), "is not editable"),
        (Edit(".ab/choice", None, "1"), "is not editable"),
        (Edit("src/.git/hooks/x", None, "1"), "is not editable"),
        (Edit("src/none.py", "x", "y"), "there is no such file"),
        (Edit("main.py", "q = 1\n", "y"), "which begins 'q = 1', does not stand in the file"),
        (Edit("main.py", "y = 1\n", "y"), "stands 2 times"),
        (Edit("main.py", " \n", "y"), "does not stand in the file"),
        (Edit("main.py", None, "x" * 2**21), "the most are"),
    ],
)
def test_an_edit_that_does_not_apply_spoils_them_all(edit: Edit, why: str) -> None:
    with pytest.raises(EditError) as refused:
        edited(FILES, [Edit("main.py", "x = 1\n", "x = 2\n"), edit], ("main.py", "src"))
    assert str(refused.value).startswith("edit 2, ") and why in str(refused.value)


@pytest.mark.parametrize("name", ["main.py/x", "a" * 300, "é" * 120, "d/" * 40 + "x", "notes.txt/x"])
def test_a_path_where_no_file_can_lie_is_said(name: str) -> None:
    files = {"main.py": File(b"x = 1\n"), "notes.txt": File(b"kept\n")}
    with pytest.raises(EditError):
        edited(files, [Edit(name, None, "x = 2\n")], ["."])


def test_a_path_has_one_spelling() -> None:
    assert edited({"main.py": File(b"x = 1\n")}, [Edit("./main.py", "x = 1\n", "x = 2\n")], ["main.py"]) == {
        "main.py": File(b"x = 2\n")
    }


@pytest.mark.parametrize("piece", ["```\n", "FILE: a.py\n```\n", "```\n\n", BLOCK, "```a.a.a\n", "a.", "<"])
def test_a_long_answer_takes_no_longer_than_it_is(piece: str) -> None:
    def work(size: int) -> object:
        try:
            return read_answer(f"FILE: a.py\n{piece * size}")
        except EditError as error:
            return error

    assert_grows_linearly(work, 40_000)

"""TOML files know the lines of their values."""

import pytest

from auto_benchmark.documents import validate
from auto_benchmark.errors import ConfigError
from auto_benchmark.lab import toml_file
from auto_benchmark.lab.task import TaskFile

TASK = """schema_version = "1.4"

[metadata]
category = "performance"

[metadata.optimization]
axis = "faster"
language = "c"
metric = "instructions"
unit = "instructions"
direction = "minimize"
transform = "log"
editable = ["a.c"]
baseline = 100
reference = 50
stretch = 10
best_known = {value = 10, source = "a book"}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        validate(TaskFile, toml_file.parse(text, "t/task.toml"))
    return [str(fault) for fault in refused.value.faults]


def test_a_sound_file_is_read():
    anchors = validate(TaskFile, toml_file.parse(TASK, "t")).metadata.optimization
    assert (anchors.baseline, anchors.best_known.source, anchors.check_seeds) == (100, "a book", [1])


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("baseline = 100", "baseline = x", ":14: not valid TOML: Invalid value"),
        ('axis = "faster"', 'axis = "quicker"', ":7: ~.axis: should be 'faster'"),
        ("stretch = 10", "stretch = 60", ":16: ~.stretch: should be better than reference (50)"),
        ("baseline = 100", "baseline = 0", ":14: ~.baseline: the transform log is not defined for 0"),
        ("baseline = 100", "baseline = nan", ":14: ~.baseline: should be a finite number"),
        ('unit = "instructions"', 'units = "s"', ":10: ~.units: unknown key"),
        ('editable = ["a.c"]', 'editable = ["../a.c"]', ":13: ~.editable: should be a name"),
        ("value = 10,", "", ":17: ~.best_known.value: is required"),
        ('"1.4"', '"1.0"', ":1: schema_version: should be '1.4'"),
    ],
)  # fmt: skip
def test_a_fault_names_line_and_field(wrong, right, message):
    assert wrong in TASK
    found = faults(TASK.replace(wrong, right, 1))
    assert any(fault.startswith("t/task.toml" + message.replace("~", "metadata.optimization")) for fault in found), (
        found
    )


def test_lines_of_tables_arrays_and_what_only_looks_like_them():
    text = 'a.b = 1\n[t]\nlong = """\nfake = 1\n[u]\n"""\nreal = 2\n[[list]]\nx = 1\n[[list]]\nx = 2\n'
    document = toml_file.parse(text, "f")
    wanted = {("a", "b"): 1, ("t",): 2, ("t", "real"): 7, ("list", 0, "x"): 9, ("list", 1, "x"): 11}
    assert {place: document.lines.get(place) for place in wanted} == wanted
    assert ("t", "fake") not in document.lines
    assert ("u",) not in document.lines

"""A task whose verification is short: a program prints a number, and the smaller one wins, but it must stay above 9."""

from pathlib import Path

from auto_benchmark.lab.catalog import load
from auto_benchmark.lab.task import Task
from auto_benchmark.settings import Settings

TOML = """schema_version = "1.4"
[metadata.optimization]
axis = "smaller"
language = "python"
metric = "number"
unit = "units"
direction = "minimize"
transform = "log"
editable = ["number.py"]
baseline = 1000
reference = 100
stretch = 10
best_known = {value = 10, source = "this test"}
[metadata.optimization.toolchain]
python = "3"
"""
PROGRAM = "# 7 is no number of the program\nNUMBER = 1000\nTEXT = '8'\nprint(NUMBER)\n"
VERIFY = """from harness import Verifier, Wrong, python


class Verify(Verifier):
    build = python("number.py")

    def score(self, candidate, rng):
        candidate.build(self.build)
        number = int(candidate.run(self.build, b"", self.limits))
        if number < 10:
            raise Wrong("too small")
        candidate.note("correct")
        return float(number)
"""


def number_task(folder: Path) -> Task:
    """The task, in a laboratory of its own."""
    place = folder / "number"
    files = {"task.toml": TOML, "instruction.md": "Print a small number.\n", "environment/Dockerfile": "FROM scratch\n",
             "environment/number.py": PROGRAM, "solution/solve.sh": "", "tests/Dockerfile": "", "tests/test.sh": "",
             "solution/number.py": PROGRAM.replace("1000", "100"),
             "tests/verify.py": VERIFY.replace("int(candidate", "_whole(candidate") + WHOLE}  # fmt: skip
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return load(Settings(lab=folder), "number")


WHOLE = """

def _whole(output):
    try:
        return int(output)
    except ValueError:
        raise Wrong("is no number", "format") from None
"""

"""Agents without a model: what they change, and that they make programs better that they know nothing of."""

import ast
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auto_benchmark.agents.agent import AttemptOutcome
from auto_benchmark.agents.brief import Brief, BudgetLeft, PastAttempt
from auto_benchmark.agents.measure import Measured
from auto_benchmark.agents.workspace import File, write_files
from auto_benchmark.lab.catalog import names
from auto_benchmark.lab.choice_of_agent import MAKERS
from auto_benchmark.lab.offline import evolve, programs, text_mutations, tree_mutations, tune
from auto_benchmark.lab.offline.tokens import is_balanced, joined, literal, tokens
from auto_benchmark.settings import Settings

C = r"""#include <stdio.h>
/* 3 times */
int main(void) {
    int n = 10, k = 0x10; // 5
    for (int i = 0; i < n; i++)
        printf("%d 7\n", i * 2 + k);
    return 0;
}
"""
PYTHON = """'''A 1 in a text.'''
N = 30  # 4
values = [i * 2.5 for i in range(N)]
for v in values:
    if v > 3:
        print(v)
"""
LOOPS = """total = 0
steps = 0
for i in range(12):
    for j in range(20):
        steps = steps + 1
    total = total + i
"""
TEXTS = {"a.c": C, "a.py": PYTHON}


@given(st.text(max_size=200), st.sampled_from(["a.c", "a.py"]))
def test_tokens_join_to_the_text(text, file):
    assert joined(tokens(text, file)) == text


def test_numbers_stand_outside_of_comments_and_strings():
    assert [t.text for t in tokens(C, "a.c") if literal(t)] == ["10", "0", "2", "0"]
    assert [t.text for t in tokens(PYTHON, "a.py") if literal(t)] == ["30", "2.5", "3"]


@pytest.mark.parametrize(
    ("text", "value", "spelled"), [("10", 21.4, "21"), ("2.5f", 1.0, "1.0f"), ("1_000u64", 7, "7u64")]
)
def test_a_number_is_written_as_it_was(text, value, spelled):
    [token] = tokens(text, "a.rs")
    assert literal(token).spelled(value) == spelled


@pytest.mark.parametrize("file", TEXTS)
@pytest.mark.parametrize("name", text_mutations.MUTATIONS)
def test_every_mutation_of_text_changes_something(name, file):
    changed = {text_mutations.MUTATIONS[name](TEXTS[file], file, random.Random(n)) for n in range(40)}
    assert len(changed - {None, TEXTS[file]}) >= (0 if name == "without_call" else 2)


def test_a_method_call_is_left_out():
    rust = "fn main() { let a = b.clone(); }"
    assert text_mutations.without_call(rust, "a.rs", random.Random(0)) == "fn main() { let a = b; }"


@pytest.mark.parametrize("name", tree_mutations.MUTATIONS)
def test_every_mutation_of_trees_gives_programs_that_can_be_parsed(name):
    changed = {tree_mutations.MUTATIONS[name](PYTHON, "a.py", random.Random(n)) for n in range(40)} - {None}
    assert len(changed) >= 2
    assert all(ast.parse(text) for text in changed)


def test_what_is_no_program_is_not_mutated():
    assert tree_mutations.MUTATIONS["part_alone"]("def (", "a.py", random.Random(0)) is None
    assert not is_balanced(tokens("(]", "a.c"))


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8), st.integers())
def test_a_child_of_two_holds_lines_of_its_parents(one, other, seed):
    parents = ["\n".join(lines) + "\n" for lines in (one, other)]
    child = evolve.crossed(*parents, random.Random(seed))
    assert set(child.splitlines()) <= {*parents[0].splitlines(), *parents[1].splitlines()}
    assert evolve.crossed(parents[0], parents[0], random.Random(seed)) == parents[0]


@given(st.floats(-4, 4), st.sampled_from(["0", "1", "64", "2.5"]))
def test_a_number_is_never_negative_and_a_whole_one_always_moves(octaves, text):
    [token] = tokens(text, "a.c")
    number = literal(token)
    assert tune.moved(number, octaves) >= 0
    assert text == "0" or not number.is_whole or round(tune.moved(number, octaves)) != number.value


def brief(attempt: int, history: tuple[PastAttempt, ...] = (), measures: int = 60) -> Brief:
    budget = BudgetLeft(4 - attempt, 60.0, None, measures)
    return Brief("t", "i", "cost", False, ("main.py",), budget, history, {"seed": attempt})


def measured_by(rule):
    def measure(folder: Path) -> Measured:
        space: dict[str, object] = {}
        try:
            exec((folder / "main.py").read_text(), {"__builtins__": {"range": range, "sum": sum, "len": len}}, space)
            score = rule(space)
        except Exception as error:
            return Measured(False, None, type(error).__name__)
        return Measured(score is not None, score, "")

    return measure


def constants(space):
    a, b = space["a"], space["b"]
    return abs(a - 96) + abs(b - 0.5) + 1.0 if isinstance(a, int) and a > 0 else None


def sums(space):
    return float(space["steps"]) if space["total"] == sum(range(12)) else None


PROGRAMS = {
    "tune": ("a = 12\nb = 8.0\n", constants),
    "evolve": (
        LOOPS,
        sums,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gets_better_by_measuring_it(name, tmp_path):
    text, rule = PROGRAMS[name]
    write_files(tmp_path, {"main.py": File(text.encode())})
    measure = measured_by(rule)
    before = measure(tmp_path).score
    agent, calls = MAKERS[name](""), 0
    for attempt in (1, 2, 3):
        turn = agent.attempt(tmp_path, brief(attempt, measures=60 * (4 - attempt)), measure)
        assert turn.outcome is AttemptOutcome.EVALUATE
        assert 0 < len(turn.measures) <= 60
        calls += len(turn.measures)
        agent = MAKERS[name]("")  # it has no memory but its workspace
    after = measure(tmp_path)
    assert after.valid and after.score < before / 2, (tmp_path / "main.py").read_text()
    kept = json.loads((tmp_path / programs.NOTES).read_text())
    assert len(kept["tried"]) == calls, "no program was measured twice"


def test_what_the_sealed_verifier_refutes_is_left(tmp_path):
    write_files(tmp_path, {"main.py": File(b"a = 12\nb = 8.0\n")})
    agent, measure = MAKERS["tune"](""), measured_by(constants)
    agent.attempt(tmp_path, brief(1), measure)
    refuted = (tmp_path / "main.py").read_text()
    agent.attempt(tmp_path, brief(2, (PastAttempt(1, False, None, 0.0, "wrong", ""),), measures=0), measure)
    assert (tmp_path / "main.py").read_text() != refuted


def test_a_program_that_is_good_on_public_inputs_alone_is_left_for_another():
    known = programs.Programs()
    known.add({"a": "given"}, 10.0, is_valid=True)
    known.add({"a": "fitted"}, 5.0, is_valid=True)
    known.submitted["1"] = known.best.digest
    for _ in range(2):  # the same history is told at every attempt
        known.take([PastAttempt(1, True, 25.0, 0.0, "", "")], 1.0)
        assert [(p.texts["a"], p.loss) for p in known.kept] == [("given", 10.0), ("fitted", 15.0)]


@pytest.mark.parametrize("name", MAKERS)
def test_without_measurements_a_change_is_guessed_and_the_verdict_believed(name, tmp_path):
    text = PROGRAMS[name][0]
    write_files(tmp_path, {"main.py": File(text.encode())})
    assert MAKERS[name]("").attempt(tmp_path, brief(1, measures=0), None).outcome is AttemptOutcome.EVALUATE
    first = (tmp_path / "main.py").read_text()
    MAKERS[name]("").attempt(tmp_path, brief(2, (PastAttempt(1, False, None, 0.0, "no", ""),), measures=0), None)
    assert (tmp_path / "main.py").read_text() != first


def test_no_agent_knows_a_task():
    folder = Path(evolve.__file__).parent
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    tasks = names(Settings())
    assert tasks and not [task for task in tasks if re.search(rf"\b{task}\b", text)]

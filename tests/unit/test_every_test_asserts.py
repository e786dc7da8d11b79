"""No test without an assertion: what a test calls is followed, so that a check in a helper counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
EXPECTS = {"raises", "warns", "deprecated_call", "fail"}
"""Of pytest."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Written:
    """A function, its file and, for a method, its class."""

    node: Function
    file: str
    owner: str

    @property
    def title(self) -> str:
        """As pytest names it."""
        return "::".join(part for part in (self.file, self.owner, self.node.name) if part)


@dataclass
class Suite:
    """The functions of some test files: those that are tests, and by scope and name those that tests may call."""

    tests: list[Written] = field(default_factory=list)
    named: dict[tuple[str, str], list[Written]] = field(default_factory=dict)

    def add(self, file: str, source: str) -> None:
        """Read a file. Tests of a contract's class count once, where they are written."""
        for written in _written(ast.parse(source), file):
            if written.node.name.startswith("test"):
                self.tests.append(written)
            for scope in (f"{file}::{written.owner}", file, ""):
                self.named.setdefault((scope, written.node.name), []).append(written)

    def without_assertion(self) -> list[str]:
        """Tests that cannot fail by an assertion of theirs or of a helper."""
        return [test.title for test in self.tests if not self._asserts(test, frozenset())]

    def _asserts(self, function: Written, seen: frozenset[str]) -> bool:
        for node in ast.walk(function.node):
            if isinstance(node, ast.Assert) and not _is_constant(node.test):
                return True
            if isinstance(node, ast.Call) and (name := _name(node.func)) is not None:
                if name in EXPECTS or name.startswith("assert_"):
                    return True
                helpers = [] if name in seen else self._meant(node.func, name, function)
                if helpers and all(self._asserts(helper, seen | {name}) for helper in helpers):
                    return True
        return False

    def _meant(self, called: ast.expr, name: str, by: Written) -> list[Written]:
        """Functions that the call may mean: the nearest of this name, or all in any file."""
        if isinstance(called, ast.Name):
            scopes = [f"{by.file}::"]
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "self":
            scopes = [f"{by.file}::{by.owner}", by.file]
        else:
            scopes = [by.file]
        return next((found for scope in [*scopes, ""] if (found := self.named.get((scope, name)))), [])


def _written(tree: ast.AST, file: str, owner: str = "") -> Iterator[Written]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield Written(node, file, owner)
        yield from _written(node, file, node.name if isinstance(node, ast.ClassDef) else owner)


def _is_constant(test: ast.expr) -> bool:
    """``assert True`` and ``assert (x, "words")`` hold whatever happens."""
    return isinstance(test, ast.Constant) or (isinstance(test, ast.Tuple) and bool(test.elts))


def _name(called: ast.expr) -> str | None:
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else None


def test_every_test_can_fail_by_an_assertion():
    suite = Suite()
    for file in TESTS.rglob("*.py"):
        suite.add(str(file.relative_to(TESTS)), file.read_text())
    assert len(suite.tests) > 1_000
    assert sorted(suite.without_assertion()) == []


HELPERS = """
def mine(x):
    return x == 1
def check(x):
    assert x == 1
def checks_both(x):
    check(x)
def look(x):
    return x == 1
def again(x):
    again(x)
"""


@pytest.mark.parametrize(
    ("body", "fine"),
    [
        ("assert x == 1", True),
        ("with pytest.raises(ValueError): look(2)", True),
        ("with pytest.warns(UserWarning): look(2)", True),
        ("check(2)", True),
        ("other.checks_both(2)", True),
        ("self.mine(2)", True),
        ("mine(2)", False),
        ("assert_golden(2)", True),
        ("[check(x) for x in (1, 2)]", True),
        ("for x in (1, 2):\n        assert x", True),
        ("look(2)", False),
        ("again(2)", False),
        ("pass", False),
        ("assert True", False),
        ('assert (x == 1, "a tuple is always true")', False),
    ],
)
def test_the_check_tells_them_apart(body, fine):
    suite = Suite()
    suite.add("helpers.py", HELPERS)
    suite.add("test_it.py", f"class TestIt:\n  def mine(self, x): assert x\n  def test_this(self):\n    {body}\n")
    assert suite.without_assertion() == ([] if fine else ["test_it.py::TestIt::test_this"])


def test_a_name_with_a_function_that_asserts_and_one_that_does_not_counts_for_nothing():
    suite = Suite()
    suite.add("helpers.py", HELPERS + "class Other:\n  def check(self): pass\n")
    suite.add("test_it.py", "def test_this():\n    check(1)\n")
    assert suite.without_assertion() == ["test_it.py::test_this"]

"""What small programs print: Python executes them, and an interpreter of their syntax tree computes the answer again."""

from __future__ import annotations

import ast
import contextlib
import io
import operator
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import PLACES, THINGS, TRADES
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Parameter, Source

LARGEST = 10**9
"""Numbers beyond it are the answer to nothing."""
MOST_STEPS = 100_000
"""Of a program, and entries of a list: text from a file may be anybody's."""
_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Lt: operator.lt, ast.Gt: operator.gt, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.LtE: operator.le, ast.GtE: operator.ge,
}  # fmt: skip
QUESTION = "What does this Python program print?"


def _executed(e: Evidence) -> Answer:
    """What Python prints; the program was written here, from a grammar without names of the outside."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile("\n".join(e["lines"]), "program", "exec"), {"__builtins__": _BUILTINS})  # noqa: S102
    told = shown.getvalue().strip()
    return int(told) if told.removeprefix("-").isdigit() else told


_BUILTINS = {"print": print, "range": range, "len": len, "sum": sum, "sorted": sorted, "max": max, "min": min}


# the second way


class _Returned(Exception):  # noqa: N818 - it is no error
    """A function has returned."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Interpreter:
    """Walks the tree of a program of this source; what its grammar does not have is refused."""

    def __init__(self, text: str) -> None:
        """Parse a program."""
        self.tree, self.shown, self.steps = ast.parse(text), list[str](), 0
        self.functions: dict[str, ast.FunctionDef] = {}

    def run(self) -> Answer:
        """What the program prints. Raises ValueError."""
        self._block(self.tree.body, {})
        told = " ".join(self.shown)
        return int(told) if told.removeprefix("-").isdigit() else told

    def _block(self, body: list[ast.stmt], names: dict[str, Any]) -> None:
        for statement in body:
            self._statement(statement, names)

    def _statement(self, node: ast.stmt, names: dict[str, Any]) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise ValueError("takes too many steps")
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                names[name] = self._value(node.value, names)
            case ast.AugAssign(target=ast.Name(id=name)):
                names[name] = self._binary(node.op, names[name], self._value(node.value, names))
            case ast.If():
                self._block(node.body if self._value(node.test, names) else node.orelse, names)
            case ast.For(target=ast.Name(id=name)):
                for value in list(self._value(node.iter, names)):
                    names[name] = value
                    self._block(node.body, names)
            case ast.While():
                while self._value(node.test, names):
                    self._block(node.body, names)
            case ast.FunctionDef():
                self.functions[node.name] = node
            case ast.Return() if node.value is not None:
                raise _Returned(self._value(node.value, names))
            case ast.Expr():
                self._value(node.value, names)
            case _:
                raise ValueError(f"has {type(node).__name__}, which no program of this source has")

    def _binary(self, sign: ast.AST, left: Any, right: Any) -> Any:
        numbers = isinstance(left, int) and isinstance(right, int)
        if not numbers and not (isinstance(sign, ast.Add) and isinstance(left, list) and isinstance(right, list)):
            raise ValueError("computes with something that is neither a number nor a list")
        found = _OPERATORS[type(sign)](left, right)
        if (abs(found) if numbers else len(found)) > (LARGEST * LARGEST if numbers else MOST_STEPS):
            raise ValueError("has something that is too large")
        return found

    def _value(self, node: ast.expr, names: dict[str, Any]) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return names[node.id]
            case ast.BinOp():
                return self._binary(node.op, self._value(node.left, names), self._value(node.right, names))
            case ast.UnaryOp(op=ast.USub()):
                return -self._value(node.operand, names)
            case ast.Compare(ops=[sign], comparators=[right]):
                return self._binary(sign, self._value(node.left, names), self._value(right, names))
            case ast.List():
                return [self._value(part, names) for part in node.elts]
            case ast.Subscript():
                return self._value(node.value, names)[self._place(node.slice, names)]
            case ast.Call():
                return self._call(node, [self._value(part, names) for part in node.args], names)
        raise ValueError(f"has {type(node).__name__}, which no program of this source has")

    def _place(self, node: ast.expr, names: dict[str, Any]) -> Any:
        if not isinstance(node, ast.Slice):
            return self._value(node, names)
        ends = [None if end is None else self._value(end, names) for end in (node.lower, node.upper, node.step)]
        return slice(*ends)

    def _call(self, node: ast.Call, values: list[Any], names: dict[str, Any]) -> Any:
        if isinstance(node.func, ast.Attribute):
            return self._method(self._value(node.func.value, names), node.func.attr, values)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "print":
            return self.shown.append(" ".join(map(str, values)))
        if name in self.functions:
            function = self.functions[name]
            try:
                self._block(function.body, dict(zip((a.arg for a in function.args.args), values, strict=True)))
            except _Returned as returned:
                return returned.value
            return None
        plain: dict[str, Callable[..., Any]] = {
            "range": _range, "len": len, "sorted": _sorted, "max": _greatest,
            "min": lambda row: -_greatest([-x for x in row]), "sum": self._added,
        }  # fmt: skip
        return plain[name](*values)

    def _added(self, row: list[int]) -> int:
        found = 0
        for value in row:
            found = self._binary(ast.Add(), found, value)
        return found

    @staticmethod
    def _method(row: Any, name: str, values: list[Any]) -> Any:
        if name == "append":
            row[len(row) :] = values
        elif name == "reverse":
            row[:] = row[::-1]
        elif name == "pop":
            last = row[values[0] if values else -1]
            del row[values[0] if values else -1]
            return last
        else:
            raise ValueError(f"has the method {name}, which no program of this source has")
        return None


def _range(*ends: int) -> range:
    found = range(*ends)
    if len(found) > MOST_STEPS:
        raise ValueError("takes too many steps")
    return found


def _sorted(row: list[int]) -> list[int]:
    """By insertion."""
    found: list[int] = []
    for value in row:
        at = sum(other <= value for other in found)
        found.insert(at, value)
    return found


def _greatest(row: list[int]) -> int:
    return _sorted(row)[-1]


def _again(_: Evidence, asked: Asked) -> Answer:
    return Interpreter(asked.context).run()


def _ask(e: Evidence) -> Asked:
    return Asked(QUESTION, "\n".join(e["lines"]))


# the programs


def _names(random: Random, n: int) -> list[str]:
    return random.sample([*TRADES, *PLACES, *THINGS], n)


def _change(random: Random, name: str, other: str) -> str:
    return random.choice((
        f"{name} += {random.randint(1, 9)}", f"{name} -= {random.randint(1, 9)}", f"{name} = {name} + {other}",
        f"{name} = {name} * {random.randint(2, 3)} - {other}", f"{name} = {name} % {random.randint(5, 40)}",
        f"{name} = ({other} + {random.randint(1, 9)}) // {random.randint(2, 4)}", f"{name} = {other} - {name}",
    ))  # fmt: skip


def _condition(random: Random, name: str) -> str:
    return random.choice(
        (f"{name} % {random.randint(2, 4)} == {random.randint(0, 1)}", f"{name} > {random.randint(2, 30)}")
    )


def _draw_loop(random: Random, params: Params) -> Evidence:
    """Two numbers changed in loops and branches."""
    while True:
        first, second, count = _names(random, 3)
        lines = [f"{first} = {random.randint(1, 20)}", f"{second} = {random.randint(1, 20)}"]
        lines.append(f"for {count} in range({random.randint(2, 2 + int(params['turns']))}):")
        for _ in range(int(params["statements"])):
            name, other = random.choice(((first, second), (second, first), (first, count), (second, count)))
            if random.random() < 0.45:
                lines += [f"    if {_condition(random, random.choice((first, second, count)))}:",
                          f"        {_change(random, name, other)}"]  # fmt: skip
            else:
                lines.append(f"    {_change(random, name, other)}")
        found = {"lines": [*lines, f"print({random.choice((first, second))})"]}
        if abs(int(_executed(found))) < LARGEST:
            return found


def _draw_row(random: Random, params: Params) -> Evidence:
    """A list that is changed step by step."""
    row, other = _names(random, 2)
    values = random.sample(range(1, 60), int(params["length"]))
    lines = [f"{row} = {values}"]
    for _ in range(int(params["statements"])):
        lines.append(random.choice((
            f"{row}.append({random.randint(1, 60)})", f"{row}.reverse()", f"{row} = sorted({row})",
            f"{row} = {row}[1:] + {row}[:1]", f"{row} = {row}[::2] + {row}[1::2]", f"{row}.append(sum({row}[:2]))",
            f"{row}.append(max({row}) - min({row}))", f"{row}.append({row}.pop(0) + len({row}))",
        )))  # fmt: skip
    place = random.randint(0, len(values) - 1)
    lines += [f"{other} = {row}[{place}] - {row}[-1]", f"print({other} + sum({row}[{place}:{place + 2}]))"]
    return {"lines": lines}


def _draw_call(random: Random, params: Params) -> Evidence:
    """A function that calls itself."""
    while True:
        name, start, result = _names(random, 3)
        a, b, c = random.randint(1, 3), random.randint(-2, 2), random.randint(-9, 9)
        depth = random.randint(3, 2 + int(params["depth"]))
        lines = [
            f"def {name}({start}):", f"    if {start} < 2:", f"        return {start} + {random.randint(1, 7)}",
            f"    if {start} % {random.randint(2, 3)} == 0:", f"        return {name}({start} - 1) + {random.randint(1, 9)}",
            f"    return {a} * {name}({start} - 1) + {b} * {name}({start} - 2) + {c}",
            f"{result} = {name}({depth})", f"print({result})",
        ]  # fmt: skip
        found = {"lines": lines}
        if abs(int(_executed(found))) < LARGEST:
            return found


_STATEMENTS: dict[str, Parameter] = {"statements": Between(1, 8)}
SOURCE = Source(
    Card(
        name="programs",
        title="What small programs print",
        modality="text",
        domains=("code", "program", "programs", "programming", "python", "execution", "software"),
        data="Python programs of 5 to 20 lines, written by a grammar; no end to them",
        licence="none needed: generated",
        key="Python's own execution of the program",
        second_key="an interpreter written here, which walks the syntax tree of the text shown",
    ),
    (
        Form("loop", "numbers changed in a loop with branches", ("loop", "branch", "variable", "multi-step"),
             {**_STATEMENTS, "turns": Between(1, 8)}, _draw_loop, _ask, _executed, _again),
        Form("row", "a list changed step by step", ("list", "sequence", "state", "multi-step"),
             {**_STATEMENTS, "length": Between(3, 9)}, _draw_row, _ask, _executed, _again),
        Form("call", "a function that calls itself", ("function", "recursion", "call", "multi-step"),
             {"depth": Between(1, 8)}, _draw_call, _ask, _executed, _again),
    ),
)  # fmt: skip

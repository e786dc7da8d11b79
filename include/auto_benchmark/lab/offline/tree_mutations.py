"""Small changes of a Python program's syntax tree. Each returns the changed text, or None where it finds nothing."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Mapping

from auto_benchmark.lab.offline.text_mutations import Mutation

Change = Callable[[ast.Module, random.Random], bool]
TEMPLATES = (
    "sum({a}) / len({a})", "sorted({a})", "list({a})", "set({a})", "min({a}, {b})", "max({a}, {b})", "({a} + {b}) / 2",
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}", "{a}[{b}]", "{a}[-{b}:]", "{a}[:{b}]", "{a}[-{b}]", "abs({a})",
    "round({a})", "int({a})", "{a}[::2]", "enumerate({a})", "reversed({a})", "{a} // 2", "{a} ** 2", "-{a}",
)  # fmt: skip
"""Expressions of the language, whatever a program is about; a and b are expressions of the program."""


def _mutation(change: Change) -> Mutation:
    def mutated(text: str, file: str, rng: random.Random) -> str | None:
        try:
            tree = ast.parse(text)
            if not change(tree, rng):
                return None
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        except (SyntaxError, ValueError, RecursionError):
            return None

    return mutated


def _other_expression(tree: ast.Module, rng: random.Random) -> bool:
    """An expression of the program in the place of another one."""
    slots = list(_slots(tree))
    if len(slots) < 2:
        return False
    (put, _), (_, other) = rng.choice(slots), rng.choice(slots)
    put(copy.deepcopy(other))
    return True


def _built_expression(tree: ast.Module, rng: random.Random) -> bool:
    """A template around an expression, or in its place."""
    slots = list(_slots(tree))
    if not slots:
        return False
    put, old = rng.choice(slots)
    first = old if rng.random() < 0.6 else rng.choice(slots)[1]
    others: list[ast.expr] = [other for _, other in slots if isinstance(other, ast.Name | ast.Constant)] or [old]
    text = rng.choice(TEMPLATES).format(a=f"({ast.unparse(first)})", b=f"({ast.unparse(rng.choice(others))})")
    put(ast.parse(text, mode="eval").body)
    return True


def _part_alone(tree: ast.Module, rng: random.Random) -> bool:
    """A part of an expression in its place."""
    found = []
    for put, old in _slots(tree):
        parts = [n for n in ast.walk(old) if isinstance(n, ast.expr) and n is not old and _is_read(n)]
        if parts:
            found.append((put, parts))
    if not found:
        return False
    put, parts = rng.choice(found)
    put(rng.choice(parts))
    return True


def _without_statement(tree: ast.Module, rng: random.Random) -> bool:
    """A statement left out."""
    bodies = [body for body in _bodies(tree) if len(body) > 1]
    if not bodies:
        return False
    body = rng.choice(bodies)
    del body[rng.randrange(len(body))]
    return True


def _moved_statement(tree: ast.Module, rng: random.Random) -> bool:
    """A statement put into another place, or a copy of it."""
    bodies = list(_bodies(tree))
    source, target = rng.choice(bodies), rng.choice(bodies)
    at = rng.randrange(len(source))
    statement = copy.deepcopy(source[at])
    if rng.random() < 0.7 and len(source) > 1:
        del source[at]
    target.insert(rng.randrange(len(target) + 1), statement)
    return True


MUTATIONS: Mapping[str, Mutation] = {
    "other_expression": _mutation(_other_expression),
    "built_expression": _mutation(_built_expression),
    "part_alone": _mutation(_part_alone),
    "without_statement": _mutation(_without_statement),
    "moved_statement": _mutation(_moved_statement),
}


def _slots(tree: ast.Module) -> Iterator[tuple[Callable[[ast.expr], None], ast.expr]]:
    """Every place of an expression that is read, with what puts another one there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.FormattedValue):
            continue
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and _is_read(value):
                yield _setter(node, name), value
            elif isinstance(value, list):
                for i, element in enumerate(value):
                    if isinstance(element, ast.expr) and _is_read(element):
                        yield _list_setter(value, i), element


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(
        node, ast.Slice | ast.Starred | ast.JoinedStr | ast.FormattedValue
    )


def _setter(node: ast.AST, name: str) -> Callable[[ast.expr], None]:
    return lambda new: setattr(node, name, new)


def _list_setter(values: list[ast.expr], i: int) -> Callable[[ast.expr], None]:
    return lambda new: values.__setitem__(i, new)


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body

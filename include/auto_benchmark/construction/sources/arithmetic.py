"""Procedural mathematics: expressions, comparisons, remainders, primes and linear equations of any size."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Source

OPERATORS = ("+", "-", "*")
OPENINGS = (
    "The {trade} in the {place} counts {thing} and writes down",
    "On a note about {thing}, left in the {place} by a {trade}, stands",
    "For a bill of {thing} the {trade} of the {place} computes",
    "A {trade} who sorts {thing} in the {place} needs",
)


def _opening(random: Random) -> str:
    return random.choice(OPENINGS).format(**scene(random))


def _number(random: Random, digits: int) -> int:
    return random.randint(10 ** (digits - 1), 10**digits - 1)


def _tree(random: Random, operations: int, digits: int) -> Any:
    if operations == 0:
        return _number(random, digits)
    left = random.randrange(operations)
    return [
        random.choice(OPERATORS), _tree(random, left, digits), _tree(random, operations - 1 - left, digits)
    ]  # fmt: skip


def _value(tree: Any) -> int:
    if isinstance(tree, int):
        return tree
    operator, left, right = tree[0], _value(tree[1]), _value(tree[2])
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _written(tree: Any) -> str:
    if isinstance(tree, int):
        return str(tree)
    return f"({_written(tree[1])} {tree[0]} {_written(tree[2])})"


def _bare(tree: Any) -> str:
    return _written(tree).removeprefix("(").removesuffix(")") if not isinstance(tree, int) else str(tree)


def _parsed(text: str) -> int:
    """Value of an expression by Python's own grammar, as rationals; nothing but numbers and three operators."""

    def walk(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.BinOp):
            left, right = walk(node.left), walk(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
        raise ValueError("not an expression of this source")

    return int(walk(ast.parse(text, mode="eval").body))


def _between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].rpartition(end)[0]


def _draw_expression(random: Random, params: Params) -> Evidence:
    opening = _opening(random)
    return {"opening": opening, "tree": _tree(random, int(params["operations"]), int(params["digits"]))}


def _ask_expression(e: Evidence) -> Asked:
    return Asked(f"{e['opening']}: {_bare(e['tree'])}. What is its value?")


def _draw_comparison(random: Random, params: Params) -> Evidence:
    operations, digits = int(params["operations"]), int(params["digits"])
    trees = [_tree(random, operations, digits) for _ in range(2)]
    if random.random() < 1 / 3:  # a tie of two unlike expressions
        difference = _value(trees[0]) - _value(trees[1])
        trees[1] = ["+" if difference >= 0 else "-", trees[1], abs(difference)]
    return {"opening": _opening(random), "trees": trees}


def _ask_comparison(e: Evidence) -> Asked:
    first, second = (_bare(tree) for tree in e["trees"])
    question = f"{e['opening']} two values. First: {first}. Second: {second}. Which one is larger?"
    return Asked(question, options=("first", "second", "equal"))


def _compare(left: int, right: int) -> Answer:
    return "equal" if left == right else "first" if left > right else "second"


def _compare_again(_: Evidence, asked: Asked) -> Answer:
    first, second = re.findall(r"(?:First|Second): ([^.]+)\.", asked.question)
    return _compare(_parsed(first), _parsed(second))


def _draw_remainder(random: Random, params: Params) -> Evidence:
    digits = int(params["digits"])
    return {"opening": _opening(random), "a": _number(random, digits), "m": _number(random, min(digits, 2)) + 2}


def _ask_remainder(e: Evidence) -> Asked:
    return Asked(f"{e['opening']} what is left when {e['a']} is divided by {e['m']}. What is the remainder?")


def _remainder_again(_: Evidence, asked: Asked) -> Answer:
    number, divisor = _between(asked.question, "when ", ". What").split(" is divided by ")
    left = 0
    for digit in number:  # long division, digit by digit
        left = (left * 10 + int(digit)) % int(divisor)
    return left


def _draw_prime(random: Random, params: Params) -> Evidence:
    wanted = random.random() < 0.5
    while True:
        number = _number(random, int(params["digits"])) | 1
        if number % 3 and number % 5 and _is_prime(number) is wanted:
            return {"opening": _opening(random), "n": number}


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))


def _is_prime_again(n: int) -> bool:
    """Miller-Rabin; with these bases exact below 3.3e24 (Sorenson & Webster 2015)."""
    if n < 2:
        return False
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n in bases:
        return True
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(
        pow(b, odd, n) in {1, n - 1} or any(pow(b, odd << k, n) == n - 1 for k in range(1, twos)) for b in bases
    )


def _ask_prime(e: Evidence) -> Asked:
    return Asked(f"{e['opening']} the number {e['n']}. Is it prime?", options=("yes", "no"))


def _prime_again(_: Evidence, asked: Asked) -> Answer:
    return "yes" if _is_prime_again(int(_between(asked.question, "the number ", ". Is"))) else "no"


def _draw_equation(random: Random, params: Params) -> Evidence:
    digits = int(params["digits"])
    x = _number(random, digits) * random.choice((-1, 1))
    left, right = random.sample(range(2, 10 ** min(digits, 2) + 10), 2)
    return {"opening": _opening(random), "a": left, "b": _number(random, digits), "c": right, "x": x}


def _ask_equation(e: Evidence) -> Asked:
    d = e["a"] * e["x"] + e["b"] - e["c"] * e["x"]
    return Asked(f"{e['opening']} {e['a']}x + {e['b']} = {e['c']}x {'-' if d < 0 else '+'} {abs(d)}. What is x?")


def _equation_again(_: Evidence, asked: Asked) -> Answer:
    numbers = re.search(r"(\d+)x \+ (\d+) = (\d+)x ([+-] \d+)\.", asked.question)
    if numbers is None:
        raise ValueError("holds no equation")
    a, b, c, d = (int(number.replace(" ", "")) for number in numbers.groups())
    solution = Fraction(d - b, a - c)
    if solution.denominator != 1:
        raise ValueError("has no whole solution")
    return int(solution)


_DIGITS = Between(4, 9)
SOURCE = Source(
    Card(
        name="arithmetic",
        title="Procedural mathematics",
        modality="text",
        domains=("math", "mathematics", "arithmetic", "number", "calculation", "algebra"),
        data="expressions, equations and numbers drawn at random; no end to them",
        licence="none needed: generated",
        key="whole-number arithmetic on the drawn expression",
        second_key="the question's text parsed anew and computed with rationals, long division, Miller-Rabin",
    ),
    (
        Form("expression", "the value of an expression", ("expression", "evaluate", "sum", "product", "calculate"),
             {"operations": Between(1, 6), "digits": Between(1, 4)}, _draw_expression, _ask_expression,
             lambda e: _value(e["tree"]), lambda _, a: _parsed(_between(a.question, ": ", ". What"))),
        Form("comparison", "which of two expressions is larger", ("compare", "larger", "order"),
             {"operations": Between(1, 6), "digits": Between(1, 4)}, _draw_comparison, _ask_comparison,
             lambda e: _compare(*map(_value, e["trees"])), _compare_again),
        Form("remainder", "the remainder of a division", ("remainder", "modulo", "division"),
             {"digits": Between(2, 9)}, _draw_remainder, _ask_remainder,
             lambda e: e["a"] % e["m"], _remainder_again),
        Form("prime", "whether a number is prime", ("prime", "primality", "factor"),
             {"digits": _DIGITS}, _draw_prime, _ask_prime,
             lambda e: "yes" if _is_prime(e["n"]) else "no", _prime_again),
        Form("equation", "the solution of a linear equation", ("equation", "solve", "algebra", "linear"),
             {"digits": Between(1, 4)}, _draw_equation, _ask_equation, lambda e: e["x"], _equation_again),
    ),
)  # fmt: skip

"""``evolve``: mutation and crossover of program text and, for Python, syntax trees; tests come before cost.

A (mu + lambda) scheme with one child at a time: parents by tournament, changes by Thompson sampling of what has worked
so far (Thompson 1933). A child that cannot be parsed is not measured, one that fails the verifier's tests is dropped.
"""

from __future__ import annotations

import ast
import random
from difflib import SequenceMatcher

from auto_benchmark.lab.offline import text_mutations, tree_mutations
from auto_benchmark.lab.offline.programs import Program, Programs, Texts
from auto_benchmark.lab.offline.search import ChangedProgram, OfflineAgent
from auto_benchmark.lab.offline.tokens import PYTHON, is_balanced, tokens

CROSSING, TWICE = 0.15, 0.25
"""Share of children with two parents, and of those with a second mutation."""
CROSSED = "crossed"


class EvolveAgent(OfflineAgent):
    """See the module."""

    def propose(self, programs: Programs, rng: random.Random) -> ChangedProgram | None:
        """A child of one or two programs."""
        parent = _tournament(programs.kept, rng)
        if len(programs.kept) > 1 and rng.random() < CROSSING:
            other = rng.choice([each for each in programs.kept if each is not parent])
            texts = {name: crossed(text, other.texts.get(name, text), rng) for name, text in parent.texts.items()}
            return ChangedProgram(texts, CROSSED) if _is_plausible(texts) else None
        texts, how = dict(parent.texts), ""
        for _ in range(2 if rng.random() < TWICE else 1):
            name = rng.choice(sorted(texts))
            known = {**text_mutations.MUTATIONS, **(tree_mutations.MUTATIONS if name.endswith(PYTHON) else {})}
            how = max(known, key=lambda each: rng.betavariate(*_successes(programs, each)))
            changed = known[how](texts[name], name, rng)
            if changed is not None:
                texts[name] = changed
        return ChangedProgram(texts, how) if texts != parent.texts and _is_plausible(texts) else None


def crossed(one: str, other: str, rng: random.Random) -> str:
    """Each stretch of lines in which two programs differ from either of them."""
    a, b = one.splitlines(keepends=True), other.splitlines(keepends=True)
    child = []
    for _, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        child += a[i1:i2] if rng.random() < 0.5 else b[j1:j2]
    return "".join(child)


def _tournament(programs: list[Program], rng: random.Random) -> Program:
    """The better of two; the list is sorted."""
    return programs[min(rng.randrange(len(programs)), rng.randrange(len(programs)))]


def _successes(programs: Programs, how: str) -> tuple[int, int]:
    well, badly = programs.operators.get(how, [0, 0])
    return 1 + well, 1 + badly


def _is_plausible(texts: Texts) -> bool:
    """Whether every file can be parsed, as far as that is cheap to say."""
    for name, text in texts.items():
        if name.endswith(PYTHON):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return False
        elif not is_balanced(tokens(text, name)):
            return False
    return True

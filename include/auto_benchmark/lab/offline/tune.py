"""``tune``: finds the numbers in a program's text and looks for better ones, one at a time, with Optuna's TPE.

Which number and by how much are parameters of one study; its trials are kept in the workspace and given again at the next
attempt. What is better becomes the program from which the next change starts.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from auto_benchmark.lab.offline.programs import Programs, Texts
from auto_benchmark.lab.offline.search import ChangedProgram, OfflineAgent
from auto_benchmark.lab.offline.tokens import Literal, Token, joined, literal, tokens

if TYPE_CHECKING:
    import optuna

WHICH, OCTAVES = "which", "octaves"
REACH = 4.0
"""Octaves by which a number may change at once."""
NOT_VALID = 1.0
"""What a study is given for a program that fails; for a valid one, the logarithm of its loss over the best one's."""
STARTING = 6
"""Trials before the study models anything."""


class Place(NamedTuple):
    """Where a number stands: file, and how many numbers stand before it."""

    file: str
    at: int


class TuneAgent(OfflineAgent):
    """See the module."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._asked: dict[str, Any] = {}

    def propose(self, programs: Programs, rng: random.Random) -> ChangedProgram | None:
        """The best program with one number changed."""
        texts = programs.best.texts
        places = list(numbers(texts))
        if not places:
            return None
        names = [f"{place.file}#{place.at}" for place in places]
        trial = _study(programs.notes, names, rng.randrange(2**31)).ask()
        which = trial.suggest_categorical(WHICH, names)
        octaves = trial.suggest_float(OCTAVES, -REACH, REACH)
        self._asked = {WHICH: which, OCTAVES: octaves}
        return ChangedProgram(changed(texts, places[names.index(which)], octaves), which)

    def learn(self, programs: Programs, proposal: ChangedProgram, loss: float | None, before: float | None) -> None:
        """Tell the study."""
        super().learn(programs, proposal, loss, before)
        programs.notes.append({**self._asked, "value": _value(loss, before)})


def numbers(texts: Texts) -> Iterator[Place]:
    """Every decimal number of a program that stands outside of strings and comments."""
    for file in sorted(texts):
        count = sum(1 for token in tokens(texts[file], file) if literal(token) is not None)
        yield from (Place(file, at) for at in range(count))


def changed(texts: Texts, place: Place, octaves: float) -> dict[str, str]:
    """A program with one number scaled by a power of two; a whole one changes by one at least."""
    parts = tokens(texts[place.file], place.file)
    found = [(i, number) for i, token in enumerate(parts) if (number := literal(token)) is not None]
    i, number = found[place.at]
    parts[i] = Token("number", number.spelled(moved(number, octaves)))
    return {**texts, place.file: joined(parts)}


def moved(number: Literal, octaves: float) -> float:
    """Where a number gets to. Zero has no scale: it moves by steps."""
    if number.value == 0:
        return float(max(0, round(octaves))) if number.is_whole else abs(octaves) / REACH
    value = number.value * math.pow(2.0, octaves)
    if number.is_whole and round(value) == round(number.value):
        return number.value + math.copysign(1, octaves) if number.value > 0 else 1.0
    return value


def _value(loss: float | None, before: float | None) -> float:
    if loss is None:
        return NOT_VALID
    if before is None:
        return 0.0
    if loss > 0 and before > 0:
        return min(NOT_VALID, math.log(loss / before))
    return max(-NOT_VALID, min(NOT_VALID, loss - before))


def _study(notes: list[Any], names: list[str], seed: int) -> optuna.Study:
    """The study with all trials so far."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=STARTING, multivariate=True)
    study = optuna.create_study(sampler=sampler)
    space: dict[str, Any] = {
        WHICH: optuna.distributions.CategoricalDistribution(names),
        OCTAVES: optuna.distributions.FloatDistribution(-REACH, REACH),
    }
    for note in notes:
        if note[WHICH] in names:
            params = {WHICH: note[WHICH], OCTAVES: note[OCTAVES]}
            study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=note["value"]))
    return study

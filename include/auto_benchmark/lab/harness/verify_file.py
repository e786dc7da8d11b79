"""``tests/verify.py`` of a task, opened and asked: what is wrong with it is said with its line."""

from __future__ import annotations

import random
import runpy
import traceback
from pathlib import Path

from .candidate import Candidate
from .confined import ConfinementError
from .verifier import Verifier
from .wrong import MissingToolError, VerifierFaultError, Wrong

SHOWN = "tests/verify.py"
OURS = (Wrong, MissingToolError, ConfinementError, VerifierFaultError, OSError, MemoryError)
"""What says itself what it is about: the candidate, the machine, or the verifier."""


def opened(path: Path) -> Verifier:
    """The verifier. Raises VerifierFaultError where the file holds none."""
    try:
        found = runpy.run_path(str(path)).get("Verify")
        if isinstance(found, type) and issubclass(found, Verifier):
            return found()
    except SyntaxError as error:
        raise VerifierFaultError(f"{SHOWN}:{error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        raise VerifierFaultError(f"{_place(error, path)}: {type(error).__name__}: {error}") from error
    raise VerifierFaultError(f"{SHOWN}: holds no class `Verify` that derives from Verifier, Counted or Kernel")


def score(verifier: Verifier, candidate: Candidate, rng: random.Random, path: Path) -> float:
    """What the verifier says about a candidate.

    What it raises in doing so is the candidate's fault, for text from a candidate can be anything, and a run of attempts
    must not end with it. A verifier that raises on sound programs refuses the given one, which ``lab check`` says.

    Raises:
        Wrong: the candidate is not valid. VerifierFaultError: the verifier is no whole one, or answers no number.
    """
    try:
        found = verifier.score(candidate, rng)
    except OURS:
        raise
    except NotImplementedError as error:
        lacking = traceback.extract_tb(error.__traceback__)[-1].name
        raise VerifierFaultError(f"{SHOWN}: `Verify` lacks the method `{lacking}`") from error
    except (Exception, SystemExit) as error:
        raise Wrong(
            f"the verifier cannot read what the candidate gave ({_place(error, path)}: {type(error).__name__})",
            "format",
        ) from error
    if not isinstance(found, (int, float)):
        raise VerifierFaultError(f"{SHOWN}: `score` returned {found!r:.60}, which is no number")
    return float(found)


def _place(error: BaseException, path: Path) -> str:
    """Where in the file it was raised."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{SHOWN}:{lines[-1]}" if lines else SHOWN

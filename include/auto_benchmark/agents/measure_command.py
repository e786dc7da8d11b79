"""The command in ``AB_MEASURE``. Standard library only: it runs by itself, inside the confinement.

``measure_command.py ASK ANSWER LOCK [DIR]`` writes one line of JSON to the pipe ASK and prints the line of ANSWER that
belongs to it: ``{"valid", "score", "feedback", "budget_left"}``. It exits with 0 when something was measured, with 2
when nothing was: no budget left, or a DIR outside of the workspace.
"""

import fcntl
import json
import os
import secrets
import sys

LONGEST_REQUEST = 4096
"""What a pipe takes in one piece (``PIPE_BUF`` of Linux)."""
USAGE = 2


def main() -> int:
    """Ask and print the answer; returns the exit code."""
    ask, answer, lock, *rest = sys.argv[1:]
    workspace = os.path.realpath(os.environ["AB_WORKSPACE"])
    inside = os.path.relpath(os.path.realpath(rest[0]), workspace) if rest else "."
    name = secrets.token_hex(8)
    request = json.dumps({"id": name, "dir": inside}).encode() + b"\n"
    if len(rest) > 1 or (inside + os.sep).startswith(os.pardir + os.sep) or len(request) > LONGEST_REQUEST:
        sys.stderr.write("measure: wants no argument, or a folder of the workspace\n")
        return USAGE
    with open(lock) as held:  # noqa: PTH123 - pathlib takes 10 ms to import
        fcntl.flock(held, fcntl.LOCK_EX)
        with open(answer, "rb") as answers:  # noqa: PTH123
            with open(ask, "wb", buffering=0) as questions:  # noqa: PTH123
                questions.write(request)
            while line := answers.readline():
                told = parsed(line)
                if told.pop("id", None) == name:
                    return show(told)
    return USAGE


def parsed(line: bytes) -> dict:  # type: ignore[type-arg]
    """One answer; nothing for the rest of one that was not read in time."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def show(told: dict) -> int:  # type: ignore[type-arg]
    """Print an answer."""
    measured = told.pop("measured")
    sys.stdout.write(json.dumps(told) + "\n")
    return 0 if measured else USAGE


if __name__ == "__main__":
    sys.exit(main())

"""``python harness TESTS --candidate DIR --out DIR [--seed N|-] [--layers JSON] [--recounts N]``: a sealed verification.

It writes ``reward.json`` (flat finite numbers) and ``checks.json`` (reasons, seed) into ``--out``. Exit 0 whatever the
candidate does; 69 when this machine lacks a program that the task needs, 70 when it cannot confine, 71 when the
task's verifier is faulty. ``python harness machine`` tells which tools this machine has, and whether its counter can be
believed.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # run as a directory, in isolation: nothing else can be imported
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    if sys.argv[1:] == ["machine"]:
        from harness.machine import main  # type: ignore[import-not-found, unused-ignore]
    else:
        from harness.judge import main  # type: ignore[import-not-found, unused-ignore, assignment]

    sys.dont_write_bytecode = True  # of the harness it may be kept, of what a task imports not
    sys.exit(main(sys.argv[1:]))

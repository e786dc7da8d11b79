"""Runs the tests, what failed once more, and names what was flaky: ``python .ci/twice.py REPORT.xml PYTEST-OPTIONS``.

A failure must show twice to count. A test that failed and then passed is flaky: its node id is printed, so that its
cause can be mended. The report is of the first run. The exit code is that of the last run.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FAILED = Path(".pytest_cache/v/cache/lastfailed")
"""Where pytest keeps the node ids of what failed."""


def main() -> int:
    """Run pytest in the present folder, once or twice."""
    report, *options = sys.argv[1:]
    code = _pytest([*options, "--durations=15", f"--junitxml={report}"])
    if code == 0:
        return 0
    first = _failed()
    _say("== second run of what failed")
    code = _pytest([*options, "--last-failed", "--last-failed-no-failures", "none"])
    flaky = sorted(first - _failed())
    _say(f"== flaky, failed and then passed: {len(flaky)}", *(f"   {node}" for node in flaky))
    return code


def _pytest(options: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *options], check=False).returncode  # noqa: S603 - ours


def _failed() -> set[str]:
    return set(json.loads(FAILED.read_text())) if FAILED.exists() else set()


def _say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Runs the tests, what failed once more, and names what was flaky: ``python .ci/twice.py REPORTS PYTEST-OPTIONS``.

What needs an Airflow runs in one process (an Airflow is slow to start, once), what needs engines and databases beside
it, and the small tests after whichever of the two ends first. A failure must show twice to count; the second time
nothing runs beside it. A test that failed and then passed is flaky: its node id is
printed, so that its cause can be mended. JUnit reports of the first runs are written into the folder ``REPORTS``. The
exit code is that of the last run.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

WITH_AIRFLOW = ("tests/dags", "tests/plugins", "tests/browser", "tests/e2e")
SMALL = ("tests/unit", "tests/users", "tests/hazards", "tests/house")
SIDE_BY_SIDE = 2


def main() -> int:
    """Run pytest in the present folder, once or twice."""
    reports, options = Path(sys.argv[1]), sys.argv[2:]
    parts = {
        "airflow": _present(WITH_AIRFLOW),
        "rest": ["tests", *(f"--ignore={folder}" for folder in (*WITH_AIRFLOW, *SMALL))],
        "small": _present(SMALL),
    }
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:  # in this order
        runs = {name: pool.submit(_first, name, reports, [*where, *options]) for name, where in parts.items()}
    codes = {name: run.result() for name, run in runs.items()}
    if not any(codes.values()):
        return 0
    first = {name: _failed(name) for name in parts}
    _say("== second run of what failed")
    codes = {name: _second(name, [*parts[name], *options]) for name, code in codes.items() if code}
    flaky = sorted(node for name in codes for node in first[name] - _failed(name))
    _say(f"== flaky, failed and then passed: {len(flaky)}", *(f"   {node}" for node in flaky))
    return max(codes.values())


def _present(folders: Sequence[str]) -> list[str]:
    return [folder for folder in folders if Path(folder).is_dir()]


def _first(name: str, reports: Path, options: Sequence[str]) -> int:
    """Run one part; the lines of two parts do not mix: a part's are printed at its end."""
    log = reports / f"{name}.log"
    with log.open("w") as lines:
        code = _pytest(name, [*options, "--durations=25", f"--junitxml={reports / name}.xml"], lines)
    _say(f"== {name}", log.read_text(errors="replace"))
    return code


def _second(name: str, options: Sequence[str]) -> int:
    return _pytest(name, [*options, "--last-failed", "--last-failed-no-failures", "none"], None)


def _pytest(name: str, options: Sequence[str], out: IO[str] | None) -> int:
    words = [sys.executable, "-m", "pytest", "-o", f"cache_dir={_cache(name)}", *options]
    return subprocess.run(words, check=False, stdout=out, stderr=out).returncode  # noqa: S603 - ours


def _cache(name: str) -> Path:
    return Path(f".pytest_cache/{name}")


def _failed(name: str) -> set[str]:
    """Node ids of what failed, as pytest keeps them."""
    file = _cache(name) / "v/cache/lastfailed"
    return set(json.loads(file.read_text())) if file.exists() else set()


def _say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

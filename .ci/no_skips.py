"""Fails when a docker, browser, PyTorch or laboratory test was skipped: ``python .ci/no_skips.py REPORTS``.

An expected failure did run, although pytest's JUnit report calls it ``<skipped>`` as well.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree

MUST_RUN = ("docker", "browser", "associative_recall", "seed_batching", "unit.lab")


def main() -> int:
    """Read pytest's JUnit reports in a folder; the folder or name of a test says what it needs."""
    reports = sorted(Path(sys.argv[1]).glob("*.xml"))
    if not reports:
        sys.exit(f"{sys.argv[1]}: no report of a test run")
    cases = [case for file in reports for case in ElementTree.parse(file).iter("testcase")]  # noqa: S314 - ours
    skipped = [
        f"{name}: {skip.get('message')}"
        for case in cases
        if (skip := case.find("skipped")) is not None
        and skip.get("type") != "pytest.xfail"
        and any(word in (name := f"{case.get('classname')}::{case.get('name')}").lower() for word in MUST_RUN)
    ]
    for line in skipped:
        sys.stderr.write(f"skipped, but must run: {line}\n")
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())

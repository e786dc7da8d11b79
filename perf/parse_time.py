"""What parsing the DAG folder costs in one checkout against another, in pairs.

    python perf/parse_time.py /path/to/the/other/checkout [--pairs 10] [--dag experiment_sweep] [--keep]

Airflow is imported once; every measurement is a fork of that process, as every parse of a DAG file is one in Airflow's
DAG processor. Counted is the CPU time of the fork's parsing. The two checkouts take turns, and the first of a pair
changes, so that a busy machine disturbs both alike. Without ``--dag``, the DAG files that both have are parsed (the
answer names those that one alone has). ``--keep`` adds the result to perf/results/parse_time.json.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent.parent
RESULT = HERE / "perf" / "results" / "parse_time.json"


def prepare(home: str) -> None:
    """Import Airflow, and nothing of a checkout."""
    sys.dont_write_bytecode = False  # or every parse would compile every module, as no DAG processor does
    sys.path[:] = [place for place in sys.path if not place.endswith(("/include", "/plugins", "include", "plugins"))]
    os.environ |= {
        "AIRFLOW_HOME": home,
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": f"{home}/none",
        "AIRFLOW__CORE__PLUGINS_FOLDER": f"{home}/none",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
    }
    import airflow.models
    import airflow.sdk
    from airflow.dag_processing.dagbag import DagBag

    assert airflow.models and airflow.sdk and DagBag
    assert "auto_benchmark" not in sys.modules


def parse(checkout: Path, place: Path) -> tuple[int, float]:
    """Number of DAGs in ``place``, and CPU seconds that parsing them with a checkout's code took."""
    here, there = os.pipe()
    if os.fork():
        os.close(there)
        with os.fdopen(here) as answer:
            said = answer.read()
        os.wait()
        if not said:
            raise SystemExit(f"{checkout} could not be parsed")
        count, seconds = json.loads(said)
        return count, seconds
    try:
        from airflow.dag_processing.dagbag import DagBag

        sys.path[:0] = [f"{checkout}/include", f"{checkout}/plugins"]
        os.environ["AUTO_BENCHMARK_CONFIG"] = str(checkout / "include" / "config")
        os.chdir(checkout)
        began = time.process_time()
        bag = DagBag(str(place))
        seconds = time.process_time() - began
        assert not bag.import_errors, bag.import_errors
        os.write(there, json.dumps([len(bag.dags), seconds]).encode())
        os._exit(0)
    finally:
        os._exit(1)


def dag_files(checkout: Path) -> set[str]:
    """Names of a checkout's DAG files."""
    return {file.name for file in (checkout / "dags").glob("*.py")}


def copied(checkout: Path, files: Iterable[str], into: Path) -> Path:
    """A DAG folder of these files alone."""
    into.mkdir()
    for name in files:
        shutil.copy(checkout / "dags" / name, into)
    return into


def commit(checkout: Path) -> str:
    """Short name of what is checked out there."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=checkout, capture_output=True, text=True, check=True
    )
    return said.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="the checkout that this one is compared with")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--dag", help="parse this DAG file alone")
    parser.add_argument("--keep", action="store_true")
    wanted = parser.parse_args()
    checkouts = {"other": wanted.other.resolve(), "here": HERE}
    seconds: dict[str, list[float]] = {"other": [], "here": []}
    files = {f"{wanted.dag}.py"} if wanted.dag else dag_files(HERE) & dag_files(checkouts["other"])
    with tempfile.TemporaryDirectory(prefix="auto-benchmark-parse-") as home:
        prepare(home)
        folders = {name: copied(checkout, files, Path(home) / name) for name, checkout in checkouts.items()}
        for name, checkout in checkouts.items():
            parse(checkout, folders[name])  # writes the bytecode
        for pair in range(wanted.pairs):
            counts = {}
            for name in ("other", "here") if pair % 2 else ("here", "other"):
                counts[name], taken = parse(checkouts[name], folders[name])
                seconds[name].append(taken)
            assert counts["here"] == counts["other"], counts
    ratios = sorted(here / other for here, other in zip(seconds["here"], seconds["other"], strict=True))
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": " ".join(["python perf/parse_time.py", *(f"--dag {wanted.dag}" if wanted.dag else "").split()]),
        "dags": counts["here"],
        "in_one_alone": [] if wanted.dag else sorted(dag_files(HERE) ^ dag_files(checkouts["other"])),
        "here": commit(HERE),
        "other": commit(checkouts["other"]),
        "pairs": wanted.pairs,
        "load": round(os.getloadavg()[0], 1),
        "cpu_s_median": {name: round(median(values), 4) for name, values in seconds.items()},
        "cpu_s_least": {name: round(min(values), 4) for name, values in seconds.items()},
        "ratio_median": round(median(ratios), 4),
        "ratio_of_least": round(min(seconds["here"]) / min(seconds["other"]), 4),
        "ratio_quartiles": [round(ratios[len(ratios) * q // 4], 4) for q in (1, 3)],
    }
    print(json.dumps(result))
    if wanted.keep:
        known = json.loads(RESULT.read_text()) if RESULT.exists() else []
        RESULT.write_text(json.dumps([*known, result], indent=1) + "\n")


if __name__ == "__main__":
    main()

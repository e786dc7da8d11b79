"""What the confinement of a local trial costs: the same trial under two checkouts' local runners, in turn.

``python perf/confinement_overhead.py --before CHECKOUT [--trials 40]`` runs the bundled solution's trial with the local
runner of this checkout and of another one, each in a process of its own that lives on, in the order before, after,
after, before. Ratios are of paired neighbours. Also told: what the first trial of a process costs on top, since what
the machine offers is found out then.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGES = {"fast": 0.25, "full": 1.0}


def serve() -> None:
    """Run one trial for each line ``stage seed`` of standard input, and answer with seconds."""
    import shutil
    import time

    from auto_benchmark.artifacts.benchmark_data import BenchmarkData
    from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig
    from auto_benchmark.project.configuration import load_benchmark, load_solution
    from auto_benchmark.runners.local import LocalRunner
    from auto_benchmark.runners.runner import TrialRequest
    from auto_benchmark.settings import Settings

    home = Path(tempfile.mkdtemp(prefix="ab-perf-"))
    settings = Settings(home=home)
    solution, benchmark = load_solution(settings, "memory_retrieval"), load_benchmark(settings, "memory")
    data = BenchmarkData(benchmark.path, settings.root)
    for line in sys.stdin:
        stage, seed = line.split()
        output = home / "output"
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        config = TrialConfig(
            params=solution.solution.defaults, seed=int(seed), stage=Stage(stage), subset=STAGES[stage], budget_s=120.0,
            benchmark=BenchmarkRef(name="memory", version=benchmark.benchmark.version),
        )  # fmt: skip
        view = data.view("search", STAGES[stage])
        request = TrialRequest(
            "t", solution.solution.command, "", solution.path, config, view, output, solution.solution.resources
        )
        started = time.perf_counter()
        result = LocalRunner().run(request)
        took = time.perf_counter() - started
        assert result.state == "done", result
        print(
            json.dumps({"s": took, "cpu_s": getattr(result, "cpu_s", None), "mb": result.peak_memory_mb}), flush=True
        )


class Side:
    """A process that runs trials with one checkout's runner."""

    def __init__(self, checkout: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout / "include"),
                       "AUTO_BENCHMARK_BENCHMARKS": str(ROOT / "include/benchmarks"),
                       "AUTO_BENCHMARK_SOLUTIONS": str(ROOT / "include/solutions")}  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def trial(self, stage: str, seed: int) -> dict:
        self.process.stdin.write(f"{stage} {seed}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def measured(before: Side, after: Side, stage: str, pairs: int) -> dict:
    sides = {"before": before, "after": after}
    first = {name: side.trial(stage, 1)["s"] for name, side in sides.items()}
    again = {name: side.trial(stage, 1)["s"] for name, side in sides.items()}
    seconds = {"before": [], "after": []}
    for n in range(pairs):
        for name in ("before", "after") if n % 2 else ("after", "before"):
            seconds[name].append(sides[name].trial(stage, 2 + n)["s"])
    ratios = [after / before for before, after in zip(seconds["before"], seconds["after"], strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4)
    return {
        "pairs": pairs,
        "median_s": {name: round(statistics.median(found), 4) for name, found in seconds.items()},
        "median_difference_ms": round(
            1000 * statistics.median(a - b for b, a in zip(seconds["before"], seconds["after"], strict=True)), 1
        ),
        "ratio": {"median": round(statistics.median(ratios), 3), "quartiles": [round(low, 3), round(high, 3)]},
        "first_trial_of_a_process_adds_ms": {name: round(1000 * (first[name] - again[name]), 1) for name in sides},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--trials", type=int, default=40, help="pairs of each stage")
    parser.add_argument("--serve", action="store_true")
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return
    sys.path[:0] = [str(ROOT / "include"), str(ROOT / "perf")]
    from measured import keep

    from auto_benchmark.runners.local import LocalRunner

    before, after = Side(asked.before.resolve()), Side(ROOT)
    found = {stage: measured(before, after, stage, asked.trials) for stage in STAGES}
    for side in (before, after):
        side.process.stdin.close()
        side.process.wait()
    commit = subprocess.run(
        ["git", "-C", str(asked.before), "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    )
    facts = {
        "before": commit.stdout.strip(), "isolated_by": LocalRunner().isolated_by, "cores": os.cpu_count(),
        "machine_load": round(os.getloadavg()[0], 1), **found,
    }  # fmt: skip
    keep("confinement_overhead", facts)
    print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()

"""What the confinement of a local trial costs: the same trial under two checkouts' local runners, in turn.

``python perf/confinement_overhead.py --before CHECKOUT [--trials 40]`` runs the bundled solution's trial with the local
runner of this checkout and of another one, each in a process of its own that lives on, in the order before, after,
after, before. Ratios are of paired neighbours: of wall time, and of the processor time of runner and trial, which other
work on the machine hardly touches. ``nothing`` is a trial that ends at once: the difference there is the confinement's own.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUBSETS = {"fast": 0.25, "full": 1.0, "nothing": 0.25}


def cpu_s() -> float:
    """Processor time of this process and of all below it that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def serve() -> None:
    """Run one trial for each line ``stage seed`` of standard input, and answer with seconds."""
    from auto_benchmark.artifacts.benchmark_data import BenchmarkData
    from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig
    from auto_benchmark.project.configuration import load_benchmark, load_solution
    from auto_benchmark.runners.local import LocalRunner
    from auto_benchmark.runners.runner import TrialRequest
    from auto_benchmark.settings import Settings

    try:
        from auto_benchmark.artifacts.split_seeds import PUBLISHED
    except ModuleNotFoundError:  # an earlier checkout, whose seeds lie in the benchmark
        seeds = []
    else:
        seeds = [PUBLISHED]
    home = Path(tempfile.mkdtemp(prefix="ab-perf-"))
    settings = Settings(home=home)
    solution, benchmark = load_solution(settings, "memory_retrieval"), load_benchmark(settings, "memory")
    data = BenchmarkData(benchmark.path, settings.root, *seeds)
    for line in sys.stdin:
        stage, seed = line.split()
        output = home / "output"
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        config = TrialConfig(
            params=solution.solution.defaults, seed=int(seed), stage=Stage.FULL if stage == "full" else Stage.FAST,
            subset=SUBSETS[stage], budget_s=120.0,
            benchmark=BenchmarkRef(name="memory", version=benchmark.benchmark.version),
        )  # fmt: skip
        command = ["python", "-c", "pass"] if stage == "nothing" else solution.solution.command
        view = data.view("search", SUBSETS[stage])
        request = TrialRequest("t", command, "", solution.path, config, view, output, solution.solution.resources)
        started, used = time.perf_counter(), cpu_s()
        result = LocalRunner().run(request)
        took = {"wall": time.perf_counter() - started, "cpu": cpu_s() - used}
        print(json.dumps(took if result.state == "done" else {"failed": result.message}), flush=True)
    shutil.rmtree(home)


class Side:
    """A process that runs trials with one checkout's runner."""

    def __init__(self, checkout: Path) -> None:
        environment = {
            **os.environ, "PYTHONPATH": str(checkout / "include"),
            "AUTO_BENCHMARK_BENCHMARKS": str(ROOT / "include/benchmarks"),
            "AUTO_BENCHMARK_SOLUTIONS": str(ROOT / "include/solutions"),
        }  # fmt: skip
        words = [sys.executable, __file__, "--serve"]
        self.process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def trial(self, stage: str, seed: int) -> dict:
        for _ in range(3):  # something else on the machine may have ended one
            self.process.stdin.write(f"{stage} {seed}\n")
            self.process.stdin.flush()
            told = json.loads(self.process.stdout.readline())
            if "failed" not in told:
                return told
            print(f"{stage}, seed {seed}: {told['failed']}", file=sys.stderr)
        raise SystemExit("a trial fails")


def measured(sides: dict[str, Side], stage: str, pairs: int) -> dict:
    """Paired trials, after one of each that does not count."""
    found = {name: [] for name in sides}
    for side in sides.values():
        side.trial(stage, 1)
    for n in range(pairs):
        for name in ("before", "after") if n % 2 else ("after", "before"):
            found[name].append(sides[name].trial(stage, 2 + n))
    compare = {kind: compared(*([t[kind] for t in found[name]] for name in sides)) for kind in ("wall", "cpu")}
    return {"pairs": pairs, **compare}


def compared(before: list[float], after: list[float]) -> dict:
    low, middle, high = statistics.quantiles([b / a for a, b in zip(before, after, strict=True)], n=4)
    more = statistics.median(b - a for a, b in zip(before, after, strict=True))
    return {
        "median_s": {"before": round(statistics.median(before), 4), "after": round(statistics.median(after), 4)},
        "median_difference_ms": round(1000 * more, 1),
        "ratio": {"median": round(middle, 3), "quartiles": [round(low, 3), round(high, 3)]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--trials", type=int, default=40, help="pairs of each kind")
    parser.add_argument("--serve", action="store_true")
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return
    from measured import keep

    from auto_benchmark.runners.local import LocalRunner

    commit = subprocess.run(
        ["git", "-C", str(asked.before), "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    )
    sides = {"before": Side(asked.before.resolve()), "after": Side(ROOT)}
    found = {kind: measured(sides, kind, asked.trials) for kind in SUBSETS}
    for side in sides.values():
        side.process.stdin.close()
        side.process.wait()
    sys.argv = [Path(__file__).name, "--before", commit.stdout.strip(), "--trials", str(asked.trials)]
    facts = {
        "before": commit.stdout.strip(), "isolated_by": LocalRunner().isolated_by, "cores": os.cpu_count(),
        "machine_load": round(os.getloadavg()[0], 1), **found,
    }  # fmt: skip
    keep("confinement_overhead", facts)
    print(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()

"""What the laboratory costs: counting against running, the verifier's start, and attempts per hour on two cores.

    python perf/lab_costs.py [TASK ...]

Costs are seconds of processor time over all processes, which other work on the machine changes far less than the clock.
"""

import argparse
import json
import os
import random
import resource
import runpy
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from measured import keep

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("include", "include/auto_benchmark/lab")]
NOTHING = "int main(void) { return 0; }\n"
REPEATS, CORES, HOUR_S = 3, 2, 3600


def cpu_s(work: Callable[[], Any]) -> float:
    """Processor time of the processes that a piece of work has started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start() -> dict[str, float]:
    """A verification that has nothing to do, and a counted run of a program that does nothing."""
    from auto_benchmark.lab.catalog import load
    from auto_benchmark.lab.verification import verify
    from auto_benchmark.settings import Settings

    task = load(Settings(), "reversible_sort")
    verify(task, task.environment, seed=1)  # compiles the harness once
    whole = median(cpu_s(lambda: verify(task, task.environment, seed=1)) for _ in range(REPEATS))
    native, counted, instructions = _counted_c(NOTHING)
    return {
        "verification_of_a_short_python_program_s": round(whole, 3),
        "empty_c_program_s": round(native, 3),
        "empty_c_program_counted_s": round(counted, 3),
        "empty_c_program_instructions": instructions,
    }


def _counted_c(text: str) -> tuple[float, float, int]:
    from harness import Limits, c
    from harness.candidate import opened

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "nothing.c").write_text(text)
        with opened(Path(folder), ["nothing.c"], Path(folder)) as candidate:
            candidate.build(c("nothing.c"))
            return _runs(candidate, c("nothing.c"), b"", Limits(), caches=False)


def _runs(candidate: Any, build: Any, stdin: bytes, limits: Any, *, caches: bool) -> tuple[float, float, int]:
    """Processor time of a confined run and of a counted one, each with its start; and instructions."""
    from harness import confined, counter

    def native() -> float:
        return confined.run(
            [*build.start], folder=candidate.built, limits=limits, user=candidate.user, stdin=stdin,
            readable=build.readable(),
        ).cpu_s  # fmt: skip

    ended, counts = counter.count(
        build.start, folder=candidate.built, stdin=stdin, limits=limits, user=candidate.user, caches=caches,
        readable=build.readable(),
    )  # fmt: skip
    return min(native() for _ in range(REPEATS)), ended.cpu_s, counts.instructions


def task_costs(name: str) -> dict[str, Any]:
    """One verification of a task's given files; and for a counted task the program's run, with and without counting."""
    from auto_benchmark.lab.catalog import load
    from auto_benchmark.lab.machine import machine
    from auto_benchmark.lab.verification import verify
    from auto_benchmark.settings import Settings

    task = load(Settings(), name)
    if missing := machine().missing(task.anchors.toolchain):
        return {"skipped": f"not installed here: {', '.join(missing)}"}
    spent = cpu_s(lambda: verify(task, task.environment, seed=1))
    told: dict[str, Any] = {
        "language": task.anchors.language,
        "verification_s": round(spent, 2),
        "attempts_per_hour_on_two_cores": round(CORES * HOUR_S / spent),
    }
    if "valgrind" in task.anchors.toolchain:
        from harness.candidate import opened

        verifier = runpy.run_path(str(task.tests / "verify.py"))["Verify"]()
        stdin = verifier.encode(verifier.draw(random.Random(1)))
        with opened(task.environment, task.anchors.editable, task.environment) as candidate:
            candidate.build(verifier.build)
            native, counted, instructions = _runs(
                candidate, verifier.build, stdin, verifier.limits, caches=verifier.caches
            )
        told |= {"native_s": round(native, 3), "counted_s": round(counted, 3), "instructions": instructions,
                 "caches": verifier.caches}  # fmt: skip
    return told


def measure(tasks: list[str]) -> dict[str, Any]:
    """The costs of tasks, all by default."""
    from auto_benchmark.lab.catalog import chosen
    from auto_benchmark.settings import Settings

    found = {}
    for name in chosen(Settings(), tasks):
        found[name] = task_costs(name)
        print(name, json.dumps(found[name]), flush=True)
    known = [each for each in found.values() if "skipped" not in each]
    counted = [each for each in known if "native_s" in each]
    zero = start()
    start_native, start_counted = zero["empty_c_program_s"], zero["empty_c_program_counted_s"]
    slower = [
        (each["counted_s"] - start_counted) / max(0.001, each["native_s"] - start_native)
        for each in counted
        if each["language"] != "go"
    ]
    return {
        "load_1m": round(os.getloadavg()[0], 1), "processor_time": True, "start": zero,
        "times_slower_counted": {
            "instructions": _middle(slower, counted, caches=False), "with_caches": _middle(slower, counted, caches=True)
        },
        "verification_s_median": round(median(each["verification_s"] for each in known), 2),
        "attempts_per_hour_on_two_cores_median": round(median(e["attempts_per_hour_on_two_cores"] for e in known)),
        "tasks": found,
    }  # fmt: skip


def _middle(slower: list[float], counted: list[dict[str, Any]], *, caches: bool) -> float | None:
    kinds = [each["caches"] for each in counted if each["language"] != "go"]
    mine = [value for value, kind in zip(slower, kinds, strict=True) if kind is caches]
    return round(median(mine), 1) if mine else None


def main() -> None:
    """Measure and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    told = measure(parser.parse_args().tasks)
    keep("lab_costs", told)
    print(json.dumps({key: told[key] for key in told if key != "tasks"}, indent=1))


if __name__ == "__main__":
    main()

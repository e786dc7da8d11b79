"""A sweep with a configuration that always fails and one that fails once, killed in the middle and resumed.

    nice python perf/sweep_with_failures.py [DIR]

Three configurations x five seeds of the bundled solution on its search split, through the command line. The report that
the resumed sweep writes is kept as perf/results/sweep_with_failures.md.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KILL_AFTER = 6
SPEC = """\
name: Does dense retrieval help?
solution: memory_retrieval
datasets: [{name: memory, version: "1", split: search}]
metrics: {primary: accuracy, secondary: [latency_ms, memory_mb], higher_is_better: true}
configurations:
  - {name: baseline}
  - {name: multi_hop, params: {multi_hop_steps: 2, abstention_threshold: 0.4}}
  - {name: broken, params: {top_k: 20}}
baseline: baseline
seeds: [1, 2, 3, 4, 5]
"""
FAULTS = """\
    marks = Path(%r)
    if trial.knobs.top_k == 20:
        raise RuntimeError("this configuration cannot work")
    if trial.knobs.multi_hop_steps == 2 and trial.seed == 2 and not (marks / "failed").exists():
        (marks / "failed").touch()
        raise OSError("a fault that does not come back")
    run(trial)
"""


def prepare(folder: Path) -> dict[str, str]:
    """A copy of the solution with the two faults; the environment of the command."""
    solution, marks = folder / "solutions" / "memory_retrieval", folder / "marks"
    shutil.copytree(ROOT / "include" / "solutions" / "memory_retrieval", solution)
    marks.mkdir()
    script = solution / "train.py"
    script.write_text(script.read_text().replace("    run(trial)\n", FAULTS % str(marks)))
    declared = solution / "solution.yaml"
    declared.write_text(declared.read_text().replace("resources: {", f'resources: {{writable: ["{marks}"], '))
    (folder / "sweep.yaml").write_text(SPEC)
    own = {"AUTO_BENCHMARK_HOME": "home", "AUTO_BENCHMARK_SOLUTIONS": "solutions"}
    paths = {name: str(folder / path) for name, path in own.items()}
    return {**os.environ, **paths, "PYTHONPATH": str(ROOT / "include"), "OMP_NUM_THREADS": "1"}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="ab-sweep-"))
    folder.mkdir(parents=True, exist_ok=True)
    environment, out = prepare(folder), folder / "out"
    command = [sys.executable, "-m", "auto_benchmark", "sweep", "run", "sweep.yaml", "--out", "out"]
    first = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    for _ in range(KILL_AFTER):
        print(first.stdout.readline(), end="", flush=True)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    print(f"-- killed after {KILL_AFTER} lines, resumed", flush=True)
    finished = {p: p.stat().st_mtime_ns for p in out.glob("results/*/metrics.json")}
    subprocess.run(command, cwd=folder, env=environment, check=True)
    assert {p: p.stat().st_mtime_ns for p in finished} == finished, "a finished run was repeated"
    attempts = {p.parent.name: json.loads(p.read_text())["attempts"] for p in out.glob("results/*/run.json")}
    print(f"-- {len(finished)} runs were finished at the kill and were not repeated; attempts: {attempts}")
    shutil.copy(out / "BENCHMARK_REPORT.md", ROOT / "perf" / "results" / "sweep_with_failures.md")


if __name__ == "__main__":
    main()

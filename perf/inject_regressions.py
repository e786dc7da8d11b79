"""Regressions put into production on real trials of the bundled solution, through the whole defense pipeline.

    nice python perf/inject_regressions.py

Each arm starts from the same seven quiet cycles (real trials on the gate split) and is then spoilt in one way. A cycle is
what the DAG `production_defense` does; up to MOST_CYCLES of them follow. Written to
perf/results/injected_regressions.json.
"""

import json
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

from measured import keep  # noqa: E402

from auto_benchmark.contract.trial import Split  # noqa: E402
from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres  # noqa: E402
from auto_benchmark.db.engine import engine, session_factory  # noqa: E402
from auto_benchmark.db.migrate import upgrade  # noqa: E402
from auto_benchmark.db.repositories import production, records  # noqa: E402
from auto_benchmark.flows import inline  # noqa: E402
from auto_benchmark.project.context import Context, make_context  # noqa: E402
from auto_benchmark.promotion.production import ProductionCandidate  # noqa: E402
from auto_benchmark.settings import Settings  # noqa: E402
from auto_benchmark.sources.connection import NamedConnections  # noqa: E402

QUIET_CYCLES, MOST_CYCLES = 7, 8
GOOD = {"multi_hop_steps": 2, "abstention_threshold": 0.4, "update_handling": "latest", "time_filter": True}
MARK = {"dense_dim": 40}
"""What production has and the configuration before it has not; it makes no difference to the score."""
REGISTRY = """
domain: memory
target_leaderboards:
  - {name: MemoryBench, url: board.csv, scrape_method: csv, primary_metric: accuracy, higher_is_better: true,
     columns: {system: system, score: accuracy}, promotion_threshold: 0.01}
our_solution: {name: Ours, solution: memory_retrieval}
"""
LIBRARY = "def finished(predictions):\n    return predictions\n"
SPOILT_LIBRARY = (
    "def finished(predictions):\n"
    "    return {k: ('' if hash_of(k) < 0.05 else v) for k, v in predictions.items()}\n\n\n"
    "def hash_of(key):\n    import zlib\n\n    return zlib.crc32(key.encode()) / 2**32\n"
)
PREDICTED = "    count = len(predictions)\n"
ANSWERED = "        predictions |= system.answer(conversation)\n"


@dataclass(frozen=True)
class Place:
    """The folders of one arm."""

    path: Path

    @property
    def settings(self) -> Settings:
        return Settings(
            home=self.path / "home",
            config=self.path / "config",
            solutions=self.path / "solutions",
            parallel_trials=1,
        )

    @property
    def solution(self) -> Path:
        return self.path / "solutions" / "memory_retrieval"

    @property
    def library(self) -> Path:
        return self.path / "library" / "answer_library.py"

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.solution / file
        text = path.read_text()
        assert old in text, (file, old)
        path.write_text(text.replace(old, new))


def prepare(place: Place) -> None:
    """The bundled solution, with a dependency outside of its folder and a latency guard that 20 % exceeds."""
    shutil.copytree(ROOT / "include" / "solutions" / "memory_retrieval", place.solution)
    place.library.parent.mkdir()
    place.library.write_text(LIBRARY)
    (place.solution / "requirements.lock").write_text("answer-library==1.0\n")
    (place.path / "config").mkdir()
    (place.path / "config" / "competitive_registry.yaml").write_text(REGISTRY)
    (place.path / "config" / "board.csv").write_text("system,accuracy\nOurs,0.99\nRival,0.50\n")
    place.edit(
        "solution.yaml",
        "{name: latency_ms, within: 0.5, absolute: 0.1}",
        "{name: latency_ms, within: 0.1, absolute: 0.0}",
    )
    place.edit("solution.yaml", "resources: {", f'resources: {{readable: ["{place.library.parent}"], ')
    place.edit("train.py", PREDICTED, f"    predictions = answer_library.finished(predictions)\n{PREDICTED}")
    place.edit("train.py", "import memory\n", "import memory\nimport answer_library\n")
    place.edit("train.py", "import sys\n", f'import sys\nsys.path.append("{place.library.parent}")\n')


def data_file_changed(place: Place, ctx: Context) -> None:
    """One in ten turns of every conversation is lost from the inputs on disk."""
    file = ctx.bench.data.view(Split.GATE) / "inputs.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        for session in row.get("sessions", []):
            session["turns"] = [turn for i, turn in enumerate(session["turns"]) if i % 10 != 9]
    file.chmod(0o644)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def dependency_changed(place: Place, ctx: Context) -> None:
    """Another version of a library, which loses 5 % of the answers; the lock says so."""
    place.library.write_text(SPOILT_LIBRARY)
    (place.solution / "requirements.lock").write_text("answer-library==2.0\n")


def three_percent_worse(place: Place, ctx: Context, *, only: str = "True") -> None:
    """Every 33rd answer or so is lost."""
    lost = (
        f"    if {only}:\n"
        "        predictions = {k: ('' if rng.random() < 0.03 else v) for k, v in predictions.items()}\n"
    )
    place.edit("train.py", PREDICTED, lost + PREDICTED)


def three_percent_worse_here(place: Place, ctx: Context) -> None:
    """The same in the configuration of production alone."""
    three_percent_worse(place, ctx, only="knobs.dense_dim == 40")


def slower(place: Place, ctx: Context) -> None:
    """Each answer takes 20 % more processor time."""
    burn = (
        "        enough = time.process_time() + 0.2 * (time.process_time() - started)\n"
        "        while time.process_time() < enough:\n            pass\n"
    )
    place.edit("train.py", ANSWERED, ANSWERED + burn)


def nothing(place: Place, ctx: Context) -> None:
    """Clean production goes on."""


ARMS = {
    "nothing": nothing,
    "data file changed": data_file_changed,
    "dependency changed": dependency_changed,
    "3 % worse": three_percent_worse,
    "3 % worse, this configuration alone": three_percent_worse_here,
    "20 % slower": slower,
}


def context(place: Place, url: str, said: list[str]) -> Context:
    return make_context(place.settings, session_factory(engine(url)), NamedConnections({}), say=said.append)


def holder(ctx: Context) -> dict:
    with ctx.sessions() as session:
        current = production.current(session=session, project=ctx.project)
    return current.candidate.params if current else {}


def quiet(place: Place, url: str) -> list[float]:
    """Promote two configurations and defend the second through the quiet cycles; alarms that rang, by cycle."""
    ctx = context(place, url, [])
    inline.scrape(ctx)
    params = {**ctx.bench.solution.solution.defaults, **GOOD}
    for each in (params, {**params, **MARK}):
        candidate = ProductionCandidate(
            solution="memory_retrieval", benchmark=ctx.bench.ref, params=each, scores={}, reason="start"
        )
        with ctx.sessions.begin() as session:
            production.promote(session=session, project=ctx.project, candidate=candidate)
    rung = [len(inline.defend(ctx)["alarms"]) for _ in range(QUIET_CYCLES)]
    ctx.sessions.kw["bind"].dispose()
    return rung


def spoil(name: str, place: Place, url: str) -> dict:
    """One arm: what the defense made of it."""
    said: list[str] = []
    ctx, started = context(place, url, said), time.monotonic()
    ARMS[name](place, ctx)
    ctx = context(place, url, said)  # a new process reads what is on disk
    result, cycles, rung = None, 0, 0
    while cycles < MOST_CYCLES and not result:
        cycles += 1
        told = inline.defend(ctx)
        rung += bool(told["alarms"])
        result = told["regressions"]
    with ctx.sessions() as session:
        cases = [case.title for case in records.open_escalations(session=session, project=ctx.project)]
    found = {
        "arm": name, "cycles": cycles, "cycles_with_alarm": rung,
        "regressions": [{k: r[k] for k in ("metric", "baseline", "fresh", "causes", "action")} for r in result or []],
        "environment_alert": next((line for line in said if "environment changed" in line), None),
        "rolled_back": MARK["dense_dim"] != holder(ctx).get("dense_dim"), "escalations": cases,
        "seconds": round(time.monotonic() - started, 1),
    }  # fmt: skip
    ctx.sessions.kw["bind"].dispose()
    print(json.dumps(found, indent=1), flush=True)
    return found


def main() -> None:
    names = sys.argv[1:] or list(ARMS)
    root = Path(tempfile.mkdtemp(prefix="ab-inject-"))
    root.chmod(0o755)
    start = Place(root / "start")
    start.path.mkdir()
    prepare(start)
    with EmbeddedPostgres(root / "postgres", settings=FAST_AND_UNSAFE) as server:
        url = server.create_database("start")
        upgrade(url)
        rung = quiet(start, url)
        print(f"alarms in {QUIET_CYCLES} quiet cycles: {rung}", flush=True)
        found = []
        for i, name in enumerate(names):
            # The solution names its library by an absolute path, so that every arm works in the same place.
            kept = root / "kept"
            if not kept.exists():
                shutil.copytree(start.path, kept)
            shutil.rmtree(start.path)
            shutil.copytree(kept, start.path)
            found.append(spoil(name, start, server.create_database(f"arm_{i}", template="start")))
    shutil.rmtree(root, ignore_errors=True)
    facts = {"quiet_cycles": QUIET_CYCLES, "alarms_while_quiet": rung, "arms": found}
    keep("injected_regressions", facts)


if __name__ == "__main__":
    main()

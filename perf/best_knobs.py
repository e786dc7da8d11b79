"""A project of the bundled solution on the best configuration of knobs: what changes of code are compared with."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import yaml
from code_candidate_trials import BEST, PATCHES, ROOT
from memory_retrieval_trials import SOLUTION

from auto_benchmark.settings import Settings

REGISTRY = {
    "domain": "memory", "our_solution": {"name": "Ours", "solution": SOLUTION.name},
    "target_leaderboards": [{
        "name": "MemoryBench", "url": "board.csv", "scrape_method": "csv", "primary_metric": "accuracy",
        "higher_is_better": True, "columns": {"system": "system", "score": "accuracy"}, "promotion_threshold": 0.005,
    }],
}  # fmt: skip


class Project:
    """The bundled solution with the best knobs as its defaults, and a board on which it leads."""

    def __init__(self, folder: Path) -> None:
        self.folder, config = folder, folder / "config"
        (folder / "solutions").mkdir(parents=True)
        ignored = shutil.ignore_patterns("__pycache__")
        own = shutil.copytree(SOLUTION, folder / "solutions" / SOLUTION.name, ignore=ignored)
        declared = yaml.safe_load((own / "solution.yaml").read_text())
        for name, value in BEST.items():
            declared["knobs"][name]["default"] = value
        (own / "solution.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))
        config.mkdir()
        (config / "competitive_registry.yaml").write_text(yaml.safe_dump(REGISTRY, sort_keys=False))
        (config / "schedule.yaml").write_text("budget: {trials: 100000, hours: 1000, money: 1000}\n")
        (config / "board.csv").write_text("system,accuracy\nOurs,0.92\nLast,0.5\n")
        self.settings = Settings(
            home=folder / "home", config=config, solutions=folder / "solutions", seeds="published",
            benchmarks=ROOT / "include" / "benchmarks",
        )  # fmt: skip

    def edited(self, name: str) -> dict[str, str]:
        """The files that a candidate changes, as it has them."""
        folder = shutil.copytree(self.folder / "solutions" / SOLUTION.name, self.folder / "edited" / name)
        subprocess.run(["git", "apply", PATCHES / f"{name}.diff"], cwd=folder, check=True)
        own = self.folder / "solutions" / SOLUTION.name
        return {f.name: f.read_text() for f in folder.glob("*.py") if f.read_bytes() != (own / f.name).read_bytes()}

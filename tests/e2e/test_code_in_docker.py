"""An experiment of code where trials run in containers: one that helps, one that harms, and production's control.

The image brings the packages; each side's program is its own tree, and the image was built from the control's.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text
from tests.docker.base_image import built
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.artifacts.fingerprint import file_sha256, folder_sha256
from auto_benchmark.flows import inline
from auto_benchmark.ideas.steps import reconcile

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
IMAGE = "auto-benchmark/test-code:1"
HELPS = (
    ('rng.random() < params["flip"]', "rng.random() < 0.02"),
    ('seen = item["digits"][: params["reads"]]', 'seen = item["digits"]'),
    (' + params["offset"]', ""),
)
HARMS = (('rng.random() < params["flip"]', "rng.random() < 0.5"),)
TRIALS = """SELECT t.purpose, t.tree, t.fingerprint->>'code', count(*) FROM auto_benchmark.trials t
    WHERE t.stage = 'full' AND t.state = 'done' AND t.fingerprint->>'runner' = 'docker' GROUP BY 1, 2, 3"""


def test_two_trees_and_a_control_are_judged_in_containers(
    tmp_path: Path, postgres, template_database, docker_client, contract_image
) -> None:
    files, url = ToyFiles(tmp_path), toy_database(postgres, template_database)
    files.declare(image=IMAGE)
    production = folder_sha256(files.solution)
    labels = (
        f"auto-benchmark.code={production} auto-benchmark.lock={file_sha256(files.solution / 'requirements.lock')}"
    )
    copied = f"open('train.py', 'w').write({(files.solution / 'train.py').read_text()!r})"
    steps = f"USER 0\nWORKDIR /ab/code\nRUN {json.dumps(['python', '-c', copied])}\nUSER 65534:65534"
    image = built(docker_client, f"FROM {contract_image}\n{steps}\nLABEL {labels}")
    docker_client.images.get(image).tag(*IMAGE.split(":"))
    queue, trees, said = files.home / "default" / "experiments" / "queue", {}, []
    for name, edits in (("helps", HELPS), ("harms", HARMS)):
        program = shutil.copytree(files.solution, tmp_path / name) / "train.py"
        for old, new in edits:
            assert old in program.read_text()
            program.write_text(program.read_text().replace(old, new))
        trees[name] = folder_sha256(program.parent)
        change = {"change": name, "code": {"folder": str(program.parent)}, "effort": "Low", "estimated_gain": 0.2}
        queue.mkdir(parents=True, exist_ok=True)
        (queue / f"{name}.yaml").write_text(yaml.safe_dump({"title": name, "implementation": change}))
    with toy_context(files.settings(db_url=url, runner="docker"), url, say=said.append) as ctx:
        reconcile(ctx)
        inline.scrape(ctx)
        ended = inline.sweep(ctx)["experiments"]
        with ctx.sessions() as session:
            ran = {(purpose, tree, code): n for purpose, tree, code, n in session.execute(text(TRIALS))}
    outcomes = {one["hypothesis_id"]: str(one["outcome"]) for one in ended}
    assert outcomes == {"H-001": "futile", "H-002": "waits_for_approval"}, (outcomes, said)
    sides = {purpose: {tree for at, tree, _ in ran if at == purpose} for purpose in ("candidate", "control")}
    assert sides == {"candidate": set(trees.values()), "control": {production}}, (ran, said)
    assert all(tree == code for _, tree, code in ran), "each ran its own tree"

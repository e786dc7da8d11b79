"""``auto-benchmark doctor SOLUTION``: one configuration end to end through the trial contract."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings


def doctor(
    solution: Annotated[str, typer.Argument(help="Name of a solution, or path of its folder.")],
    *,
    runner: Annotated[str | None, typer.Option(help="Where the trial runs: local or docker.")] = None,
    json: AsJson = False,
) -> None:
    """Run one configuration end to end and say what is wrong: exit 0, or 2 with what to mend."""
    from auto_benchmark.experiments.trials.doctor import examine
    from auto_benchmark.project.bench import make_bench
    from auto_benchmark.project.configuration import load_solution
    from auto_benchmark.runners import ON_THIS_MACHINE

    settings = Settings()
    bench = make_bench(settings, load_solution(settings, solution), runner_name=runner, runners=ON_THIS_MACHINE)
    findings = []
    for finding in examine(bench):
        findings.append(finding)
        if not json:
            (emit if finding.ok else note)(f"{'ok  ' if finding.ok else 'FAIL'} {finding.text}")
    healthy = all(finding.ok for finding in findings)
    if json:
        emit_json({"ok": healthy, "findings": [{"ok": f.ok, "text": f.text} for f in findings]})
    if not healthy:
        raise typer.Exit(2)

"""The inline executor on drawn outcomes."""

from types import SimpleNamespace
from typing import Any

from tests.executors.airflow_side import world
from tests.executors.outcomes import Script
from tests.executors.trace import Trace

from auto_benchmark.flows import run as inline
from auto_benchmark.flows.flow import Flow, next_run_id
from auto_benchmark.flows.step import StepKind


def play(flow: Flow, script: Script, *, run_id: str, conf: dict[str, Any], woken: bool | None = None) -> Trace:
    """Run the flow, and again as often as it starts itself; ``woken``: by an event, else as the script says."""
    trace, runs = Trace(), []

    def now() -> Any:
        """Asked once at the start of every run."""
        script.run_id = next_run_id(script.run_id) if script.run_id else run_id
        return script.moment

    ctx: Any = SimpleNamespace(**vars(world()), now=now, say=lambda _: None)
    kept = inline.FlowRun

    def keeping(*arguments: Any) -> inline.FlowRun:
        runs.append(kept(*arguments, is_woken=not runs and (script.is_woken if woken is None else woken)))
        return runs[-1]

    inline.FlowRun = keeping
    try:
        inline.run_flow(ctx, script.played(flow), run_id=run_id, conf=conf, sleep=lambda _: None)
    except Exception:
        assert any(run.faults for run in runs)
    finally:
        inline.FlowRun = kept
    trace.note(script.calls)
    for run in runs:
        trace.ended[run.run_id] = {step: str(state) for step, state in run.states.items()}
        trace.failed[run.run_id] = run.has_failed
        trace.conf[run.run_id] = dict(run.conf)
    assert all(step.kind is not StepKind.REPEAT or step.run.__name__ == "start_next" for step in flow.steps)
    return trace

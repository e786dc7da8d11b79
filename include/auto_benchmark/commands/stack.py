"""``auto-benchmark stack``: the embedded Airflow with everything that the loop needs, on one machine."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.settings import Settings

app = typer.Typer(help="The embedded stack: Postgres, Airflow, arena, MLflow.", no_args_is_help=True)


@app.command()
def up(
    *,
    new_ports: Annotated[bool, typer.Option("--new-ports", help="Choose free ports anew.")] = False,
    paused: Annotated[bool, typer.Option("--paused", help="Leave the DAGs paused.")] = False,
) -> None:
    """Start what does not run, and say where the UI is and how to log in."""
    from auto_benchmark.stack.first_reading import read_boards_once
    from auto_benchmark.stack.launcher import Launcher
    from auto_benchmark.stack.services import urls

    launcher = Launcher(Settings(), note)
    launcher.up(new_ports=new_ports, unpause=not paused)
    for name, url in urls(launcher.ports).items():
        emit(f"{name:8} {url}")
    emit(f"log in as {launcher.user} with the password {launcher.credentials.password}")
    emit(f"logs     {launcher.layout.logs}")
    if paused:
        emit("Next: the DAGs are paused; run this again without --paused, or unpause them in Airflow.")
        return
    with launcher.airflow() as api:
        reading = read_boards_once(api)
    emit("The boards are being read now." if reading else "The boards are read by the schedule in schedule.yaml.")
    emit(
        "Next: open the page Benchmark in Airflow to see where we stand, or run `auto-benchmark status`; experiments"
    )
    emit("start by that schedule, or at once when you trigger experiment_sweep in Airflow.")


@app.command()
def down() -> None:
    """Stop everything, also the demo's stack; the data are kept."""
    from auto_benchmark.stack.demo import demo_settings
    from auto_benchmark.stack.launcher import Launcher

    demo, own = (Launcher(settings, note) for settings in (demo_settings(Settings()), Settings()))
    with_demo = demo.settings.root.is_dir()
    if with_demo:
        demo.down()
    if own.layout.root.is_dir() or not with_demo:
        own.down()


@app.command()
def status(*, json: AsJson = False) -> None:
    """Which services run."""
    from auto_benchmark.stack.launcher import Launcher

    found = Launcher(Settings(), note).status()
    if json:
        emit_json(found)
        return
    for name, pid in dict(found["services"]).items():  # type: ignore[call-overload]
        emit(f"{name:14} {f'running, process {pid}' if pid else 'not running'}")


@app.command()
def demo(
    *,
    saturation: Annotated[
        bool, typer.Option(help="Go on with a saturated board and the benchmark that follows.")
    ] = False,
) -> None:
    """From behind to #1 in a real Airflow; the last line on stdout is the result as JSON."""
    from auto_benchmark.stack.demo import run_demo

    result = run_demo(Settings(), say=emit, saturation=saturation)
    emit_json(result)
    if result["rank_after"] != 1:
        raise typer.Exit(1)

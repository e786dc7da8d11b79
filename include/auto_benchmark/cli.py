"""The command line: finds every command and turns errors into messages and exit codes.

Exit 0 is ok, 2 bad input or a refusal, 1 a fault of ours or a failed trial.
"""

from __future__ import annotations

import logging
import os
import pkgutil
import sys
from importlib import import_module

import typer
from pydantic import ValidationError

from auto_benchmark import commands
from auto_benchmark.commands.output import note
from auto_benchmark.documents import plain, storable
from auto_benchmark.errors import AutoBenchmarkError, ConfigError, InputError, refusal
from auto_benchmark.settings import Settings
from auto_benchmark.terminal import PrintableFormatter

app = typer.Typer(
    name="auto-benchmark",
    help="Keep an ML solution at #1 of its leaderboards.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _mount(into: typer.Typer) -> None:
    """Every group and command of the package :mod:`auto_benchmark.commands`."""
    for found in pkgutil.iter_modules(commands.__path__):
        module = import_module(f"{commands.__name__}.{found.name}")
        if isinstance(group := getattr(module, "app", None), typer.Typer):
            into.add_typer(group, name=found.name)
        for name, command in getattr(module, "COMMANDS", {}).items():
            if isinstance(command, typer.Typer):
                into.add_typer(command, name=name)
            else:
                into.command(name)(command)


_mount(app)


@app.callback()
def _configure(*, verbose: bool = typer.Option(False, "--verbose", "-v", help="Log what happens to stderr.")) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PrintableFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.INFO if verbose else logging.WARNING)


def main() -> None:
    """Run the command line; the only place where errors become exit codes."""
    try:
        app()
    except ConfigError as error:
        note(str(error))  # each line names its place, as compilers' messages do
        sys.exit(2)
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        for item in error.errors():
            note(f"{Settings.variable(item['loc'])}: {plain(item, with_value=False)}")
        sys.exit(2)
    except InputError as error:
        note(f"error: {error}")
        sys.exit(2)
    except AutoBenchmarkError as error:
        note(f"error: {error}")
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except UnicodeEncodeError:
        if not (odd := [word for word in sys.argv[1:] if word != storable(word)]):
            raise
        note(f"error: {odd[0]!r} on the command line is not UTF-8")
        sys.exit(2)
    except OSError as error:
        if (refused := refusal(error)) is None:
            raise
        note(f"error: {refused}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)

"""The one file that runs inside of trials, run as a program."""

import io
import os
import subprocess
import sys
import textwrap

import psutil
import pytest

from auto_benchmark.runners import entrypoint


def start(tmp_path, *command, **environment):
    variables = {"AB_OUTPUT_DIR": str(tmp_path), "AB_CONFIG_JSON": "{}", "PATH": os.environ["PATH"], **environment}
    program = [sys.executable, "-I", "-S", entrypoint.__file__, *command]
    return subprocess.run(program, env=variables, capture_output=True, timeout=120, check=False)


def test_progress_goes_to_stdout_and_everything_to_the_log(tmp_path):
    code = "import sys; print('AB_PROGRESS {}'); print('words'); print('error', file=sys.stderr); sys.exit(7)"
    done = start(tmp_path, sys.executable, "-u", "-c", code)
    assert (done.returncode, done.stdout) == (7, b"AB_PROGRESS {}\n")
    assert (tmp_path / "train.log").read_text() == "AB_PROGRESS {}\nwords\nerror\n"


@pytest.mark.parametrize("before", [0, 1, 60_000, 65_530, 65_535, 65_536, 65_540, 200_000])
def test_progress_behind_a_bar_without_newlines_arrives(before, capfdbinary, tmp_path):
    """Also where the longest piece that is read at once ends in the middle of its first word."""
    line = b'AB_PROGRESS {"step": 1}\n'
    said = b"\r" * before + line + b"\r50%" + line + b"words " + b"x" * 70_000 + b"\n" + line
    with (tmp_path / "train.log").open("wb") as log:
        entrypoint.follow(io.BytesIO(said), log)
    assert capfdbinary.readouterr().out == 3 * line
    assert (tmp_path / "train.log").read_bytes() == said


def test_a_progress_line_that_is_too_long_is_none(capfdbinary, tmp_path):
    said = b"AB_PROGRESS " + b"x" * 65_536 + b"\nAB_PROGRESS " + b"x" * 200_000 + b"\nAB_PROGRESS {}"
    with (tmp_path / "train.log").open("wb") as log:
        entrypoint.follow(io.BytesIO(said), log)
    assert capfdbinary.readouterr().out == b""


def test_too_few_gpus_end_it_before_anything_trains(tmp_path):
    done = start(tmp_path, sys.executable, "-c", f"open({str(tmp_path / 'trained')!r}, 'w')", AB_GPUS="99")
    assert done.returncode == 78 and not (tmp_path / "trained").exists()
    assert "of 99 GPUs are visible" in (tmp_path / "train.log").read_text()


def test_what_cannot_be_started_is_the_environments_fault(tmp_path):
    assert start(tmp_path, "/no/such/program").returncode == 78
    assert start(tmp_path).returncode == 78
    assert start(tmp_path / "absent", sys.executable, "-c", "1").returncode == 78


def test_orphans_end_with_it(tmp_path):
    code = textwrap.dedent("""
        import os, pathlib, sys, time
        told = pathlib.Path(sys.argv[1])
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                told.with_suffix(".part").write_text(str(os.getpid()))
                told.with_suffix(".part").rename(told)
                time.sleep(600)
            os._exit(0)
        while not told.exists():
            time.sleep(0.01)
    """)
    assert start(tmp_path, sys.executable, "-c", code, str(tmp_path / "orphan")).returncode == 0
    assert not psutil.pid_exists(int((tmp_path / "orphan").read_text()))


def test_signals_are_told_as_shells_do(tmp_path):
    assert start(tmp_path, sys.executable, "-c", "import os; os.kill(os.getpid(), 9)").returncode == 137

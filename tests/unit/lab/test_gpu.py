"""Kernels: what is refused before anything is launched, how the counters' report is read, and machines without a GPU."""

import random
import runpy
from array import array
from pathlib import Path

import pytest

from auto_benchmark.lab.catalog import load
from auto_benchmark.lab.check import skipped
from auto_benchmark.lab.harness import gpu
from auto_benchmark.lab.harness.wrong import MissingToolError, Wrong
from auto_benchmark.lab.machine import Machine
from auto_benchmark.settings import Settings

TASKS = ("gpu_blur", "gpu_matrix_product")
HEAD = """==PROF== Connected to process 7
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"Section Name","Metric Name","Metric Unit","Metric Value"
"""
ROW = '"0","7","python3","127.0.0.1","solve","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","Metrics","{}","","{}"\n'
WHOLE = HEAD + ROW.format(gpu.SECTORS, "557,056") + ROW.format(gpu.INSTRUCTIONS, "6,128,342")


def test_a_report_of_one_launch():
    counts = gpu.parsed(WHOLE)
    assert (counts.instructions, counts.with_misses) == (6_128_342, 6_128_342 + 10 * 557_056)


def test_a_second_launch_is_refused():
    with pytest.raises(Wrong, match="more than one launch"):
        gpu.parsed(WHOLE + ROW.format(gpu.INSTRUCTIONS, "5"))


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - no permission\n", "ERR_NVGPUCTRPERM"),
        ("", "no report"),
        (HEAD + ROW.format(gpu.SECTORS, "1"), "does not know"),
    ],
)
def test_counters_that_cannot_be_read_are_the_machines_fault(report, said):
    with pytest.raises(MissingToolError, match=said):
        gpu.parsed(report)


@pytest.mark.parametrize("line", ["mov.u64 %rd1, %clock64;", "mov.u64 %rd1, %globaltimer;", "mov.u32 %r1, %smid;"])
def test_a_kernel_may_not_know_when_or_where_it_runs(line):
    gpu.refuse("mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [solve_param_0];")
    with pytest.raises(Wrong, match="may not know") as refused:
        gpu.refuse(line)
    assert refused.value.check == "count"


def test_a_kernel_may_not_call_what_it_does_not_hold():
    with pytest.raises(Wrong, match="does not hold"):
        gpu.refuse(".extern .func (.param .b32 func_retval0) vprintf\n")
    gpu.refuse(".extern .shared .align 16 .b8 tile[];")


@pytest.mark.parametrize("name", TASKS)
def test_a_machine_without_a_gpu_skips_the_task_and_says_why(name):
    task = load(Settings(), name)
    without = Machine({"cuda": "13.0.88", "gpu": None, "ncu": None}, None, None)
    assert task.anchors.optional
    assert task.declared.environment["gpus"] == 1
    assert skipped(task, without) == "not installed here: ncu, gpu"


@pytest.mark.parametrize("name", TASKS)
def test_right_results_pass_and_one_wrong_number_does_not(name, monkeypatch):
    monkeypatch.syspath_prepend(Path(gpu.__file__).parent.parent)
    module = runpy.run_path(str(load(Settings(), name).tests / "verify.py"))
    verifier = module["Verify"]()
    inputs = verifier.draw(random.Random(1))
    right = array("f", RIGHT[name](module, inputs))
    verifier.check(inputs, right.tobytes())
    for wrong in (right[777] + 1, float("nan"), float("inf")):
        right[777] = wrong
        with pytest.raises(wrong_of(verifier)):
            verifier.check(inputs, right.tobytes())


def wrong_of(verifier):
    """The exception of the harness that the verifier has imported under its own name."""
    return type(verifier).check.__globals__["Wrong"]


def blurred(module, inputs):
    weights, rows = inputs.weights, inputs.points
    once = module["along_rows"](rows, weights)
    return [x for row in module["turned"](module["along_rows"](module["turned"](once), weights)) for x in row]


def product(_, inputs):
    import numpy as np

    return (np.array(inputs.a, dtype=float) @ np.array(inputs.b, dtype=float)).ravel().tolist()


RIGHT = {"gpu_blur": blurred, "gpu_matrix_product": product}


def test_a_kernel_that_ends_its_process_is_the_candidates_fault(tmp_path):
    report = HEAD + ROW.format(gpu.INSTRUCTIONS, "nan")
    with pytest.raises(MissingToolError, match="does not start a program"):
        gpu._answer(tmp_path, "==ERROR== cannot connect\n")
    assert gpu._answer(tmp_path, report) == {"failed": "fails while it runs"}

"""Nothing that a solution declares, and no link in its folder, shows a trial answers, results, or the kernel's files."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from tests.toy_project import ToyFiles, add_project, toy_context, toy_database

from auto_benchmark.artifacts.fingerprint import UnfitCodeError, code_files, folder_sha256, git_commit
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import Stage
from auto_benchmark.errors import ConfigError
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.project.bench import TrialSpec, make_bench
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.project.configuration_check import check

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def files(tmp_path):
    return ToyFiles(tmp_path)


def sealed_places(files):
    """What no trial may see, or what lies around it."""
    return {
        "the benchmarks": files.benchmarks, "one file of a benchmark": files.benchmarks / "toy" / "generator.py",
        "sealed answers": files.home / "sealed", "results of trials": files.home / "default" / "experiments" / "results",
        "results of another project": files.home / "other" / "experiments" / "results" / "H-1" / "predictions.jsonl",
        "trials that run": files.home / ".running", "the home": files.home, "what is around the home": files.folder,
        "the whole machine": "/",
    }  # fmt: skip


def bench(files):
    settings = files.settings()
    return make_bench(settings, load_solution(settings, "toy"))


@pytest.mark.parametrize("field", ["readable", "writable"])
def test_declared_paths_that_show_answers_or_results_are_refused_at_load_and_by_check(files, field):
    for what, place in sealed_places(files).items():
        files.declare(resources={field: [str(files.folder / "elsewhere"), str(place)]})
        with pytest.raises(
            ConfigError, match=rf"solution.yaml:\d+: resources.{field}\[1\]: .* holds answers or results"
        ):
            bench(files)
        faults, _ = check(files.settings())
        assert f"resources.{field}[1]" in [fault.field for fault in faults], what


def test_the_loop_loads_no_such_project(files, postgres, template_database):
    add_project(files.config, "other")
    files.declare(resources={"readable": [str(files.home / "other")]})
    with (
        pytest.raises(ConfigError, match="holds answers or results"),
        toy_context(files.settings(), toy_database(postgres, template_database)),
    ):
        pass


def test_a_path_through_a_folder_that_trials_may_write_is_refused(files):
    cache, weights = files.folder / "cache", files.folder / "weights"
    (cache / "models").mkdir(parents=True)
    (cache / "link").symlink_to(files.folder / "plain")
    weights.symlink_to(cache / "link")
    for path in (cache / "models", weights, files.folder / "weights" / ".." / "plain"):
        files.declare(resources={"writable": [str(cache)], "readable": [str(path)]})
        with pytest.raises(ConfigError, match=r"readable\[0\]: .* leads through .*cache, where trials may write"):
            bench(files)
    files.declare(resources={"writable": [str(cache)], "readable": [str(cache), str(files.folder / "plain")]})
    bench(files)


def test_links_into_sealed_places_are_refused_and_others_are_code(files):
    (files.home / "sealed").mkdir(parents=True)
    (files.home / "sealed" / "answers.json").write_text("{}")
    library = files.folder / "library"
    library.mkdir()
    (library / "tool.py").write_text("1")
    (files.solution / "library").symlink_to(library)
    bench(files)
    for place in (files.home / "sealed" / "answers.json", files.home / "sealed", files.benchmarks / "toy"):
        link = library / "deep"
        link.symlink_to(place)
        with pytest.raises(ConfigError, match=r"solution.yaml: the folder's code: library/deep.* links to answers"):
            bench(files)
        assert any("links to answers" in fault.message for fault in check(files.settings())[0])
        link.unlink()


@pytest.mark.parametrize("way", ["readable", "link"])
def test_what_leads_elsewhere_after_the_project_was_loaded_ends_the_trial(files, way):
    (files.home / "sealed").mkdir(parents=True)
    (files.home / "sealed" / "answers.json").write_text("{}")
    harmless = files.folder / "harmless.json"
    harmless.write_text("{}")
    turning = files.folder / "turning.json"
    turning.symlink_to(harmless)
    if way == "readable":
        files.declare(resources={"readable": [str(turning)]})
    else:
        (files.solution / "data.json").symlink_to(turning)
    loaded = bench(files)
    turning.unlink()
    turning.symlink_to(files.home / "sealed" / "answers.json")
    spec = TrialSpec("t", loaded.solution.solution.defaults, 1, Stage.FAST)
    ended = execute(spec, loaded, files.folder / "trial")
    assert ended.failure is FailureClass.ENVIRONMENT_ERROR
    assert "answers" in ended.message
    assert not list((files.home / "code").rglob("data.json"))


@pytest.mark.parametrize("target", ["/proc/kmsg", "/proc/self/environ", "/proc/sys", "/sys/kernel", "/dev/zero"])
def test_the_kernels_own_files_are_no_code(files, target):
    (files.solution / "odd").symlink_to(target)
    if target == "/dev/zero":  # a device is left out, as it always was
        assert all(name.name != "odd" for name, _ in code_files(files.solution))
        return
    for ask in (code_files, folder_sha256):
        with pytest.raises(UnfitCodeError, match=r"odd: leads to .*, which is the kernel's and no code"):
            ask(files.solution)
    assert any("which is the kernel's" in fault.message for fault in check(files.settings())[0])
    loaded = bench_of_loaded_before(files)
    ended = execute(TrialSpec("t", loaded.solution.solution.defaults, 1, Stage.FAST), loaded, files.folder / "trial")
    assert ended.failure is FailureClass.ENVIRONMENT_ERROR and "the kernel's" in ended.message


def bench_of_loaded_before(files):
    """A bench that was made before the odd file came."""
    (files.solution / "odd").rename(files.folder / "odd")
    loaded = bench(files)
    (files.folder / "odd").rename(files.solution / "odd")
    return replace(loaded)


def test_pipes_and_sockets_in_the_folder_hang_nothing(files):
    before = folder_sha256(files.solution)
    os.mkfifo(files.solution / "pipe")
    (files.solution / "linked").symlink_to(files.solution / "pipe")
    os.mkfifo(files.solution / "requirements.lock")
    assert folder_sha256(files.solution) == before
    assert bench(files).fingerprint()["lock"] == "absent"


@pytest.mark.parametrize(
    ("head", "branch"),
    [("ref: ../secret", None), ("ref: refs/../../secret", None), ("ref: refs/heads/main", "token=0123456789abcdef"),
     ("token=0123456789abcdef", None), ("a" * 40, None)],
)  # fmt: skip
def test_nothing_but_a_commit_is_taken_from_gits_files(tmp_path, head, branch):
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (tmp_path / "secret").write_text("token=0123456789abcdef")
    (git / "HEAD").write_text(head + "\n")
    if branch:
        (git / "refs" / "heads" / "main").write_text(branch)
    assert git_commit(tmp_path) == ("a" * 16 if head == "a" * 40 else "none")


def test_a_pipe_in_place_of_gits_head_hangs_nothing(tmp_path):
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert git_commit(tmp_path) == "none"

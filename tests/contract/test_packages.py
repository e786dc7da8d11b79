"""A solution's packages: pinned by hash, installed before any trial, and all that a trial reads besides its own."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.toy_project import ToyFiles

from auto_benchmark.artifacts.package_lock import write_hashes
from auto_benchmark.artifacts.packages import PackagesMissingError, install, own_environment, read_lock
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.errors import ConfigError, InputError
from auto_benchmark.experiments.trials.attempt import execute
from auto_benchmark.experiments.trials.doctor import examine
from auto_benchmark.project.bench import TrialSpec, make_bench
from auto_benchmark.project.configuration import load_solution
from auto_benchmark.runners import isolation

ASKS = """
import sys
import tiny_package
print("PREFIX", sys.prefix)
print("VALUE", tiny_package.VALUE)
try:
    import numpy
    print("LEAK")
except ImportError:
    print("ALONE")
for path in {paths!r}:
    try:
        open(path).read()
        print("READ", path)
    except OSError:
        print("CLOSED", path)
"""


def wheel(folder: Path, version: str = "1.0", name: str = "tiny_package", needs: str = "") -> tuple[Path, str]:
    """A wheel of ``tiny-package``, and its SHA-256."""
    folder.mkdir(exist_ok=True)
    path, info = folder / f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VALUE = 'of {version}'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"]))
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def toy(tmp_path, open_directory):
    files = ToyFiles(tmp_path)
    files.home = open_directory / f"packages-{tmp_path.name}"
    return files


@pytest.fixture
def wheels(tmp_path, toy):
    path, digest = wheel(tmp_path / "wheels")
    (toy.solution / "requirements.lock").write_text(
        f"# by hand\ntiny-package==1.0 \\\n    --hash=sha256:{digest}\n"
        f"never==9 ; python_version < '3' --hash=sha256:{'0' * 64}\n"
    )
    return path.parent


def bench_of(toy):
    settings = toy.settings()
    return make_bench(settings, load_solution(settings, "toy"), runner_name="local")


def test_doctor_installs_and_a_trial_reads_that_environment_alone(toy, wheels, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    ours = next(Path(sys.prefix).rglob("site-packages/numpy/__init__.py"))
    toy.train_also(ASKS.format(paths=[str(secret), str(ours)]))
    findings = list(examine(bench_of(toy), wheels=wheels))
    assert all(f.ok for f in findings), findings
    assert any("packages: 1 of requirements.lock: installed in" in f.text for f in findings)
    bench, folder = bench_of(toy), tmp_path / "trial"
    spec = TrialSpec("ab-packages", bench.solution.solution.defaults, 3, Stage.FAST, 0.1)
    assert execute(spec, bench, folder).state is TrialState.DONE
    log = (folder / "train.log").read_text()
    place = own_environment(toy.solution, bench.data.root)
    assert place is not None and f"PREFIX {place}" in log and "VALUE of 1.0" in log and "ALONE" in log
    if isolation.offered().private_root or isolation.offered().layers.landlock:
        assert f"CLOSED {secret}" in log and f"CLOSED {ours}" in log, log


def test_a_trial_installs_nothing(toy, wheels, tmp_path):
    bench = bench_of(toy)
    spec = TrialSpec("ab-packages", bench.solution.solution.defaults, 3, Stage.FAST, 0.1)
    outcome = execute(spec, bench, tmp_path / "trial")
    assert outcome.failure is FailureClass.ENVIRONMENT_ERROR
    assert "tiny-package==1.0" in outcome.message and "auto-benchmark doctor toy" in outcome.message
    assert not (bench.data.root / "environments").exists()


def test_what_is_here_already_needs_no_environment(toy, tmp_path):
    (toy.solution / "requirements.lock").write_text("pytest>=1,==" + pytest.__version__ + "\n")
    assert install(toy.solution, tmp_path) is None
    (toy.solution / "requirements.lock").unlink()
    assert read_lock(toy.solution) == [] and install(toy.solution, tmp_path) is None


def test_another_lock_is_another_environment(toy, wheels, tmp_path):
    first = install(toy.solution, tmp_path / "root", wheels=wheels)
    assert first == install(toy.solution, tmp_path / "root")
    digest = wheel(wheels, "2.0")[1]
    (toy.solution / "requirements.lock").write_text(f"tiny-package==2.0 --hash=sha256:{digest}\n")
    with pytest.raises(PackagesMissingError):
        own_environment(toy.solution, tmp_path / "root")
    assert install(toy.solution, tmp_path / "root", wheels=wheels) not in {first, None}


@pytest.mark.parametrize(
    "lock", ["tiny-package==1.0 --hash=sha256:" + "0" * 64, "tiny-package==3.0 --hash=sha256:" + "0" * 64]
)
def test_what_is_not_what_the_lock_says_is_not_installed(toy, wheels, tmp_path, lock):
    (toy.solution / "requirements.lock").write_text(lock + "\n")
    with pytest.raises(InputError, match="pip cannot install it"):
        install(toy.solution, tmp_path / "root", wheels=wheels)
    assert list((tmp_path / "root" / "environments").iterdir()) == []


@pytest.mark.parametrize(
    ("lock", "said"),
    [
        (
            "pytest==PRESENT\ntiny-package==1.0\n",
            r"^\S*requirements\.lock:2: tiny-package==1\.0: has no --hash.* or install this version into the loop's own "
            r"environment, `\.venv/bin/pip install tiny-package==1\.0`$",
        ),
        ("\n# x\ntiny-package>=1.0\n", r"requirements\.lock:3: tiny-package: should be pinned"),
        ("tiny-package @ file:///x.whl\n", r"requirements\.lock:1: tiny-package: should be pinned"),
        ("--index-url x\n", r"requirements\.lock:1: no pinned package"),
        ("-r other.txt\n", r"requirements\.lock:1: no pinned package"),
    ],
)  # fmt: skip
def test_a_faulty_lock_is_named_by_line(toy, wheels, tmp_path, lock, said):
    (toy.solution / "requirements.lock").write_text(lock.replace("PRESENT", version("pytest")))
    with pytest.raises(ConfigError, match=said):
        install(toy.solution, tmp_path / "root", wheels=wheels)
    assert any(not f.ok and "packages: " in f.text for f in examine(bench_of(toy), wheels=wheels))


def test_hashes_are_written_with_what_a_package_needs(toy, wheels):
    _, small = wheel(wheels)
    _, large = wheel(wheels, "2.5", "large_package", "Requires-Dist: tiny-package\n")
    lock = toy.solution / "requirements.lock"
    lock.write_text("large-package==2.5\n")
    with pytest.raises(ConfigError, match="doctor toy --lock"):
        install(toy.solution, toy.home, wheels=wheels)
    assert write_hashes(toy.solution, wheels=wheels) == ["large-package==2.5", "tiny-package==1.0"]
    said = lock.read_text()
    assert (
        f"large-package==2.5 \\\n    --hash=sha256:{large}\ntiny-package==1.0 \\\n    --hash=sha256:{small}\n" in said
    )
    assert install(toy.solution, toy.home, wheels=wheels) is not None
    assert write_hashes(toy.solution, wheels=wheels) == ["large-package==2.5", "tiny-package==1.0"], "run twice"


def test_what_cannot_be_resolved_leaves_the_lock_as_it_is(toy, wheels):
    lock = toy.solution / "requirements.lock"
    lock.write_text("no-such-package==1\n")
    with pytest.raises(InputError, match=r"requirements\.lock: pip cannot resolve it: [^W].*no-such-package"):
        write_hashes(toy.solution, wheels=wheels)
    assert lock.read_text() == "no-such-package==1\n"

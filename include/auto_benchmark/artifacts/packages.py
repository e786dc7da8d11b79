"""The Python packages of a solution: its lock, and the environment that holds exactly what the lock names.

``requirements.lock`` beside ``solution.yaml`` pins wheels by their hashes. Where the interpreter that runs us has these
very versions, local trials use it. Otherwise they use an environment of their own below the home directory, installed
by ``doctor`` and never during a trial::

    <root>/environments/<key>/       a virtual environment; key = lock, Python version, platform

It is filled aside and renamed into place: a killed installation leaves nothing that a trial could take for whole.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.errors import AutoBenchmarkError, ConfigError, Fault, InputError

LOCK = "requirements.lock"
ENVIRONMENTS = "environments"
INSTALL_SECONDS = 3600.0
BARE = (
    "has no --hash=sha256:…, so it is not installed for you: `auto-benchmark doctor {name} --lock` writes the hashes of "
    "this machine's wheels and of what they need; or install this version into the loop's own environment, "
    "`.venv/bin/pip install {text}`"
)
"""A build of PyTorch, say, is chosen by the machine, and a template cannot know its hash."""


class PackagesMissingError(AutoBenchmarkError):
    """A solution's packages are not installed yet."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """One entry of a lock that applies to this platform.

    Attributes:
        text: name and version, as in ``numpy==2.4.6``.
        here: whether the interpreter that runs us has that version.
    """

    line: int
    text: str
    hashed: bool
    here: bool


def read_lock(folder: Path) -> list[Pinned]:
    """What a solution's lock pins; nothing where it has none.

    Raises:
        ConfigError: a line is not a pinned requirement.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    path = folder / LOCK
    if not path.is_file():
        return []
    found, faults = list[Pinned](), list[Fault]()
    for line, text in _logical_lines(path):
        wanted, _, options = text.partition(" --")
        try:
            requirement = Requirement(wanted.strip())
        except InvalidRequirement:
            faults.append(Fault(str(path), line, "", f"no pinned package: {wanted.strip()[:80]!r}"))
            continue
        pins = [pin for pin in requirement.specifier if pin.operator == "==" and not pin.version.endswith("*")]
        if requirement.url or not pins:
            faults.append(Fault(str(path), line, requirement.name, "should be pinned, as in name==1.2.3"))
        elif requirement.marker is None or requirement.marker.evaluate():
            here = _version(requirement.name)
            has = here is not None and requirement.specifier.contains(here, prereleases=True)
            found.append(Pinned(line, f"{requirement.name}{requirement.specifier}", "hash=" in options, has))
    if faults:
        raise ConfigError(faults)
    return found


def own_environment(folder: Path, root: Path) -> Path | None:
    """The environment that local trials of a solution use; None for the interpreter that runs us.

    Args:
        folder: of the solution.
        root: where the system keeps its files.

    Raises:
        ConfigError: the lock is faulty.
        PackagesMissingError: it needs an environment that is not installed.
    """
    pinned = read_lock(folder)
    missing = [entry.text for entry in pinned if not entry.here]
    if not missing:
        return None
    place = _place(folder, root)
    if not place.is_dir():
        raise PackagesMissingError(
            f"packages of {folder.name}/{LOCK} are not installed ({', '.join(missing[:5])}); "
            f"auto-benchmark doctor {folder.name} installs them"
        )
    return place


def install(folder: Path, root: Path, *, wheels: Path | None = None) -> Path | None:
    """Install what a solution's lock names into an environment of its own, unless that is there or not needed.

    Args:
        folder: of the solution.
        root: where the system keeps its files.
        wheels: a directory of wheels to take instead of asking a package index.

    Returns:
        What :func:`own_environment` returns from now on.

    Raises:
        ConfigError: the lock is faulty, or an entry has no hash.
        InputError: pip cannot install it; the end of what it said is in the message.
    """
    try:
        return own_environment(folder, root)
    except PackagesMissingError:
        pass
    bare = [entry for entry in read_lock(folder) if not entry.hashed]
    if bare:
        path = str(folder / LOCK)
        absent = [entry for entry in bare if not entry.here] or bare
        raise ConfigError([
            Fault(path, entry.line, entry.text, BARE.format(name=folder.name, text=entry.text)) for entry in absent
        ])  # fmt: skip
    place = _place(folder, root)
    with atomic.new_directory(place) as draft:
        venv.create(draft, symlinks=True, with_pip=False)
        _pip_install(folder / LOCK, draft, wheels)
    return place


def _pip_install(lock: Path, environment: Path, wheels: Path | None) -> None:
    run_pip(["--python", str(environment / "bin" / "python"), "install", "--require-hashes", "-r", str(lock)], lock, wheels,
            "install")  # fmt: skip


def run_pip(arguments: list[str], lock: Path, wheels: Path | None, aim: str) -> str:
    """What pip prints; it takes wheels alone.

    Args:
        arguments: its own.
        lock: for messages.
        wheels: a directory of wheels to take instead of asking a package index.
        aim: what it is to do with the lock, a verb.

    Raises:
        InputError: it cannot do it; the end of what it said is in the message.
    """
    source = ["--no-index", "--find-links", str(wheels.resolve())] if wheels else []
    command = [
        sys.executable, "-m", "pip", *arguments, "--only-binary", ":all:", "--no-input", "--quiet",
        "--disable-pip-version-check", *source,
    ]  # fmt: skip
    try:
        ended = subprocess.run(  # noqa: S603 - pip, with the user's own lock
            command, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{lock}: pip did not end in {INSTALL_SECONDS:.0f} s") from None
    if ended.returncode:
        raise InputError(f"{lock}: pip cannot {aim} it: {_last_words(ended.stderr)}")
    return ended.stdout


def _last_words(said: str) -> str:
    """The end of what pip says, without its warnings: what it could not do."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("WARNING:")]
    return "\n".join(lines[-8:])


def _place(folder: Path, root: Path) -> Path:
    """Where the environment of a lock lies; its interpreter is ours."""
    facts = (platform.python_version(), sysconfig.get_platform(), sys.base_prefix)
    content = (folder / LOCK).read_bytes() + "\0".join(facts).encode()
    return root / ENVIRONMENTS / hashlib.sha256(content).hexdigest()[:16]


def _logical_lines(path: Path) -> list[tuple[int, str]]:
    """Lines with their continuations, without comments: number of the first, and the text."""
    found, begun, first = list[tuple[int, str]](), "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        text = "" if line.lstrip().startswith("#") else line.partition(" #")[0].strip()
        first = first if begun else number
        if text.endswith("\\"):
            begun += text[:-1].strip() + " "
            continue
        if whole := (begun + text).strip():
            found.append((first, whole))
        begun = ""
    return [*found, (first, begun.strip())] if begun.strip() else found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None

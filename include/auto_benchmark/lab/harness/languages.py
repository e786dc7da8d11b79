"""How candidates of each language are built and started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import confined
from .wrong import MissingToolError

PROGRAM = "./program"
PROCESSOR = "-march=x86-64-v3"
"""AVX2 and no more: no SHA-NI, no AVX-512, so that a count means the same on every processor."""
FLAGS = ("-O2", PROCESSOR, "-fno-stack-protector", "-Wl,--build-id=none")


class Build(NamedTuple):
    """How a candidate becomes a program.

    Attributes:
        language: as ``task.toml`` calls it.
        compile: command lines, run in the folder that holds the sources; empty where nothing is compiled.
        start: command line of the program.
        tool: looks up the toolchain; returns its version. Raises MissingToolError.
        readable: paths that building and running need besides the machine's programs.
        environment: of the compiler.
        keeps: files that the program needs beside it when it runs.
    """

    language: str
    compile: Callable[[], list[list[str]]]
    start: tuple[str, ...]
    tool: Callable[[], str]
    readable: Callable[[], tuple[str, ...]] = tuple
    environment: tuple[tuple[str, str], ...] = ()
    keeps: tuple[str, ...] = ("program",)


def c(*sources: str, flags: tuple[str, ...] = ()) -> Build:
    """C sources, by gcc."""
    line = ["gcc", "-std=gnu11", *FLAGS, *flags, "-o", "program", *sources, "-lm"]
    return Build("c", lambda: [line], (PROGRAM,), lambda: _version("gcc", "-dumpfullversion"))


def cpp(*sources: str, flags: tuple[str, ...] = ()) -> Build:
    """C++ sources, by g++."""
    line = ["g++", "-std=gnu++17", *FLAGS, *flags, "-o", "program", *sources]
    return Build("cpp", lambda: [line], (PROGRAM,), lambda: _version("g++", "-dumpfullversion"))


def go(*sources: str) -> Build:
    """Go sources of one package, by the Go toolchain; no modules besides the standard library.

    Built as Debian compiled the library (no ``-trimpath``, GOAMD64=v1), which takes 0.5 s; compiling it again takes 12 s.
    """
    line = ["go", "build", "-ldflags=-buildid=", "-o", "program", *sources]
    places = (("GOCACHE", "cache"), ("GOPATH", "path"), ("GOFLAGS", "-mod=mod"), ("GOAMD64", "v1"), ("CGO_ENABLED", "0"),
              ("GOTOOLCHAIN", "local"))  # fmt: skip
    return Build("go", lambda: [line], (PROGRAM,), lambda: _version("go", "version").split()[2].removeprefix("go"),
                 environment=places)  # fmt: skip


def rust(source: str) -> Build:
    """One Rust source, by rustc; no crates besides the standard library."""
    flags = ["-O", "--edition=2021", "-Ctarget-cpu=x86-64-v3", "-Cpanic=abort", "-Ccodegen-units=1"]
    return Build("rust", lambda: [[_rustc(), *flags, "-o", "program", source]], (PROGRAM,), _rust_version,
                 readable=lambda: (str(Path(_rustc()).parent.parent),))  # fmt: skip


def python(*sources: str) -> Build:
    """Python sources, the first one the program; the interpreter is the verifier's, without installed packages."""
    start = (confined.INTERPRETER, "-s", "-S", "-B", "-P", sources[0])
    return Build("python", list, start, lambda: ".".join(map(str, sys.version_info[:3])), keeps=sources,
                 readable=lambda: (sys.base_prefix,))  # fmt: skip


def cuda(source: str) -> Build:
    """One CUDA source, by nvcc, device code alone: what the verifier starts is a kernel, and nothing of it runs on the host.

    Compiled for compute capability 7.5, whatever the GPU, so that no copy passes the first-level cache by; ``-rdc`` leaves
    its variables where the driver finds them.
    """
    line = ["-ptx", "-arch=compute_75", "-rdc=true", "-std=c++17", "-o", "kernel.ptx", source]
    return Build("cuda", lambda: [[_nvcc(), *line]], (), _cuda_version,
                 readable=lambda: (str(Path(_nvcc()).parent.parent),), keeps=("kernel.ptx",))  # fmt: skip


def _found(tool: str) -> str:
    found = shutil.which(tool, path=confined.ENVIRONMENT["PATH"])
    if found is None:
        raise MissingToolError(tool)
    return found


@cache
def _version(tool: str, *question: str) -> str:
    program = tool if tool.startswith("/") else _found(tool)
    told = subprocess.run([program, *question], capture_output=True, text=True, check=False, timeout=60)
    if told.returncode:
        raise MissingToolError(tool)
    return told.stdout.strip()


@cache
def _nvcc() -> str:
    """The compiler, where NVIDIA's installers put it; its libraries lie beside it."""
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if found is None:
        raise MissingToolError("nvcc")
    return os.path.realpath(found)


def _cuda_version() -> str:
    """As ``13.0.88``."""
    return _version(_nvcc(), "--version").rpartition(" V")[2].split()[0]


@cache
def _rustc() -> str:
    """The compiler itself: rustup's proxy of that name needs its own settings."""
    proxy = shutil.which("rustc", path=f"{Path.home() / '.cargo' / 'bin'}:{confined.ENVIRONMENT['PATH']}")
    if proxy is None:
        raise MissingToolError("rustc")
    told = subprocess.run([proxy, "--print", "sysroot"], capture_output=True, text=True, check=False, timeout=60)
    compiler = Path(told.stdout.strip()) / "bin" / "rustc"
    if told.returncode or not compiler.is_file():
        raise MissingToolError("rustc")
    return str(compiler)


def _rust_version() -> str:
    return subprocess.run(
        [_rustc(), "--version"], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()[1]

"""A base image made from the running Python, with no registry and no network: interpreter, numpy, pip and a shell."""

from __future__ import annotations

import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from auto_benchmark.runners import entrypoint
from docker import DockerClient
from docker.errors import ImageNotFound

BASE_IMAGE = "auto-benchmark/test-base:1"
PROGRAMS = ("sh", "sleep", "mkdir", "rm", "chmod", "cat", "ls", "env", "true")
DISTRIBUTIONS = ("numpy", "pip")
LEFT_OUT = re.compile(r"/(test|tests|idlelib|tkinter|turtledemo|lib2to3|ensurepip|__pycache__|site-packages|config-)")
SITE_PACKAGES = "usr/local/lib/python{}.{}/site-packages".format(*sys.version_info)
ETC = {
    "etc/passwd": "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}

CONTRACT_DOCKERFILE = """
RUN mkdir -p -m 0755 /ab/data && mkdir -m 1777 /ab/out
COPY entrypoint.py /ab/entrypoint.py
WORKDIR /ab
USER 65534:65534
VOLUME ["/ab/out", "/ab/data"]
ENTRYPOINT ["python", "/ab/entrypoint.py"]
"""


def built(client: DockerClient, dockerfile: str) -> str:
    """Build an image from a Dockerfile's text beside the entrypoint, without a network; returns its id."""
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        _add_text(archive, "Dockerfile", dockerfile)
        _add_text(archive, "entrypoint.py", Path(entrypoint.__file__).read_text(encoding="utf-8"))
    context.seek(0)
    image, _ = client.images.build(fileobj=context, custom_context=True, network_mode="none", rm=True)
    return str(image.id)


def build_base_image(
    client: DockerClient,
    image: str = BASE_IMAGE,
    *,
    distributions: Iterable[str] = DISTRIBUTIONS,
) -> str:
    """Import the image unless the engine has it; returns its name.

    Args:
        client: of the engine.
        image: its name and tag.
        distributions: installed packages that it is to hold.
    """
    try:
        client.images.get(image)
    except ImageNotFound:
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                _fill(archive, distributions)
            file.flush()
            name, _, tag = image.partition(":")
            change = "ENV PATH=/usr/local/bin:/usr/bin:/bin"
            client.api.import_image_from_file(file.name, repository=name, tag=tag, changes=[change])
    return image


def _fill(archive: tarfile.TarFile, distributions: Iterable[str]) -> None:
    for folder, mode in (("tmp", 0o1777), ("root", 0o700), ("proc", 0o755), ("sys", 0o755), ("dev", 0o755)):
        _add_directory(archive, folder, mode)
    for name, text in ETC.items():
        _add_text(archive, name, text)
    python = Path(sys.executable).resolve()
    archive.add(python, "usr/local/bin/python3.11")
    for alias in ("python", "python3"):
        link = tarfile.TarInfo(f"usr/local/bin/{alias}")
        link.type, link.linkname = tarfile.SYMTYPE, "python3.11"
        archive.addfile(link)
    programs = [Path(found) for program in PROGRAMS if (found := shutil.which(program))]
    for program in programs:
        archive.add(program.resolve(), f"bin/{program.name}", filter=_as_root)
    stdlib = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    archive.add(stdlib, f"usr/local/lib/{stdlib.name}", filter=_of_the_library)
    installed = {name: file for distribution in distributions for file, name in _files_of(distribution)}
    for name, file in installed.items():
        archive.add(file, f"{SITE_PACKAGES}/{name}", filter=_as_root)
    extensions = [file for file in installed.values() if ".so" in file.suffixes or file.parent.name == "bin"]
    for library in sorted(_libraries([python, *programs, *stdlib.glob("lib-dynload/*.so"), *extensions])):
        place = f"usr/lib/{library.name}" if "libpython" in library.name else str(library).lstrip("/")
        archive.add(library.resolve(), place, filter=_as_root)


def _libraries(programs: Iterable[Path]) -> set[Path]:
    listed = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    found = {Path(path) for path in re.findall(r"(/[^\s:()]+\.so[^\s:()]*) \(0x", listed)}
    return {path for path in found if "site-packages" not in path.parts}


def _files_of(distribution: str) -> Iterator[tuple[Path, str]]:
    for file in importlib.metadata.distribution(distribution).files or []:
        path = Path(str(file.locate()))
        if ".." not in file.parts and path.is_file() and path.suffix != ".pyc":
            yield path, str(file)


def _as_root(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mode |= 0o444
    return info


def _of_the_library(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if LEFT_OUT.search("/" + info.name) else _as_root(info)


def _add_directory(archive: tarfile.TarFile, name: str, mode: int) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, mode
    archive.addfile(info)


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    archive.addfile(info, io.BytesIO(content))


if __name__ == "__main__":
    print(build_base_image(DockerClient(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))))

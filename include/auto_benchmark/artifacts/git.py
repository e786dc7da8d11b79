"""git for patches, objects and files: without the user's configuration, hooks, filters, prompts or the network."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from auto_benchmark.errors import InputError

SECONDS = 60.0


class GitError(InputError):
    """git is not installed, or did not end in time."""


def git(
    arguments: Sequence[str], place: Path, given: bytes = b"", *, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git in ``place``; what it says, whatever its exit status.

    Args:
        arguments: words of the command.
        place: a folder; no repository above it is looked for.
        given: its standard input.
        more: further variables of its environment.

    Raises:
        GitError: it is not installed, or does not end within :data:`SECONDS`.
    """
    program = shutil.which("git")
    if program is None:
        raise GitError("git is not installed, which reads patches and commits")
    quiet = {
        "PATH": os.defpath, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8", "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CEILING_DIRECTORIES": str(place.resolve().parent), "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
        "GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": "false",
        "GIT_CONFIG_KEY_2": "core.hooksPath", "GIT_CONFIG_VALUE_2": os.devnull,
    }  # fmt: skip
    try:
        return subprocess.run(  # noqa: S603 - the path is the one that was looked up, the words are ours or checked
            [program, *arguments], cwd=place, input=given, env=quiet | dict(more or {}), capture_output=True,
            check=False, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise GitError(f"git did not end within {SECONDS:g} s") from None

"""What changed code looks at besides its data: clocks, the machine, networks, processes, files elsewhere, code from text.

For a person who approves it; never a reason to refuse. A program that is good until a date, or where its host has a certain
name, is as good as it says while it is judged, and no measurement can tell. The list helps to read a patch. It proves
nothing: code can hide what it does from any such list.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from auto_benchmark.artifacts.tree_store import changed_files

MOST, LONGEST_NAME = 20, 80
LARGEST = 256 * 1024
"""Bytes of a file that is looked through."""
LOOKS_AT = {
    "the clock": "time datetime.datetime:now,utcnow,today datetime.date:today os:times",
    "the machine or its user": "platform getpass pwd psutil resource sys:argv uuid:uuid1,getnode socket:gethostname "
    "os:environ,environb,getenv,uname,getlogin,getuid,cpu_count,getloadavg",
    "a network": "socket ssl urllib http ftplib smtplib xmlrpc requests httpx aiohttp urllib3 asyncio:open_connection",
    "processes": "subprocess multiprocessing signal ctypes atexit _thread "
    "os:getpid,getppid,fork,kill,nice,setpriority,sched_setaffinity,system,popen,execv,execve,posix_spawn,setsid",
    "files elsewhere": "tempfile shutil glob mmap pathlib.Path:home os.path:expanduser os:chdir",
    "code from text": "exec eval compile __import__ builtins importlib runpy marshal pickle base64 sys:modules "
    "types:CodeType,FunctionType",
}
"""Modules and functions, with a module all that is in it; behind a colon, names of a module of which they alone count."""
OWN_VARIABLE = re.compile(r"AB_\w+")
OUTSIDE = re.compile(r"(?=.{1,80}$)(/\w|~|.*\.\./).*")
"""Text that can be a path out of the trial's own folders."""
_KINDS = {
    ".".join(part for part in (module, name) if part): kind
    for kind, words in LOOKS_AT.items()
    for module, _, names in (word.partition(":") for word in words.split())
    for name in names.split(",")
}


def remarks(before: Path, after: Path) -> list[str]:
    """A line for each thing that the changed files look at and did not look at before, in the order of the files.

    Args:
        before: tree of production's code.
        after: tree of the candidate's.
    """
    found = [remark for name in changed_files(before, after) for remark in _of_file(name, before, after)]
    return found[:MOST] + ([f"and {len(found) - MOST} more"] if len(found) > MOST else [])


def _of_file(name: str, before: Path, after: Path) -> Iterator[str]:
    shown = name[:LONGEST_NAME]
    if not (after / name).exists():
        return
    now = _looked_at(after / name)
    if isinstance(now, str):
        yield f"{shown}: {now}"
        return
    then = _looked_at(before / name) if (before / name).exists() else []
    known = Counter(what for what, _ in then) if not isinstance(then, str) else Counter[str]()
    for what, line in now:
        if known[what] > 0:
            known[what] -= 1
        else:
            yield f"{shown}:{line}: {what}"


def _looked_at(file: Path) -> list[tuple[str, int]] | str:
    """What a Python file looks at, with the line; why that is not known, in words."""
    if file.suffix in {".md", ".txt", ".lock", ".yaml", ".json", ".csv"}:
        return []
    if file.suffix != ".py":
        return "is no Python, and is not looked through"
    if file.stat().st_size > LARGEST:
        return "is too long to be looked through"
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "cannot be read as Python"
    names = dict(_imported(tree))
    return sorted(set(_uses(tree, names)), key=lambda use: use[1])


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names in this file and what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield (each.asname, each.name) if each.asname else (each.name.split(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                yield each.asname or each.name, f"{node.module}.{each.name}"


def _uses(tree: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, int]]:
    nodes = list(ast.walk(tree))
    seen = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)} | _own_variables(nodes)
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in seen:
            if (dotted := _dotted(node, names)) and (found := _kind(dotted)):
                yield f"looks at {found[1]}: {found[0]}", node.lineno
        elif isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
            yield "imports names that are not listed", node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and OUTSIDE.fullmatch(node.value):
            yield f"names a file elsewhere: {node.value!a}", node.lineno


def _own_variables(nodes: Sequence[ast.AST]) -> set[int]:
    """Each look at a variable of the trial contract (``AB_DATA_DIR``), which every trial has to take."""
    return {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str) and OWN_VARIABLE.fullmatch(node.slice.value)
    }  # fmt: skip


def _dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """What an expression of names and dots stands for; None where it begins with no import and nothing built in."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    root = names.get(node.id, node.id if hasattr(builtins, node.id) else "")
    return ".".join([root, *reversed(parts)]) if root else None


def _kind(dotted: str) -> tuple[str, str] | None:
    """The part of a dotted name that tells, and what it looks at."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        if kind := _KINDS.get(".".join(parts[:length])):
            return ".".join(parts[: max(length, 2)]), kind
    return None

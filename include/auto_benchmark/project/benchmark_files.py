"""Looks through the files of benchmarks that users have written: what ``check`` says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.artifacts.item_files import ItemFiles
from auto_benchmark.documents import Document
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.registry.benchmark import Benchmark


def benchmark_faults(file: Path, shown: Callable[[Path], str]) -> tuple[list[Fault], list[Fault]]:
    """What is wrong with a ``benchmark.yaml`` and the items it names, and what is probably not meant."""
    try:
        document = documents.read(file, shown_as=shown(file))
        benchmark = documents.validate(Benchmark, document)
    except ConfigError as error:
        return list(error.faults), []
    faults, files = list[Fault](), ItemFiles(file.parent, benchmark, shown)
    if benchmark.name != file.parent.name:
        text = f"should be the folder's name, {file.parent.name!r}, is {benchmark.name!r}"
        faults.append(Fault(document.file, document.line_of(("name",)), "name", text))
    for name, split in benchmark.splits.declared.items():
        if split.items is not None:
            try:
                files.data(name)
            except ConfigError as error:
                faults += error.faults
    hidden = benchmark.splits.hidden
    if not faults and hidden is not None and hidden.items is not None and files.with_media("hidden"):
        text = "its rows name files, and an arena hands out texts alone"
        faults.append(Fault(document.file, document.line_of(("splits", "hidden")), "splits.hidden.items", text))
    return faults, [] if faults else _remarks(document, files)


def _remarks(document: Document, files: ItemFiles) -> list[Fault]:
    line = document.line_of(("splits",))
    found = [Fault(document.file, line, "splits", text) for text in (*files.repeated(), *files.unlearnable())]
    for path, names in files.unused.items():
        text = (
            f"not used: no trial sees it; what a trial may see is named by fields: {{input: […]}} in {document.file}"
        )
        found += [Fault(files.shown(Path(path)), None, name, text) for name in names]
    for path, (row, value, count) in files.media.absent.items():
        text = f"{count} look like paths of files and name none; the first is {value[:80]!r}"
        found.append(Fault(files.shown(Path(path)), row, "input", text))
    return found

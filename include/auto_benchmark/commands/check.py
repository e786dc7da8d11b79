"""``auto-benchmark check``: every declared file, one line per fault."""

from __future__ import annotations

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.errors import ConfigError
from auto_benchmark.settings import Settings


def check(*, json: AsJson = False) -> None:
    """Check every config file: exit 0, or 2 with file:line: message per fault."""
    from auto_benchmark.project.configuration import check as check_files

    faults, warnings = check_files(Settings())
    if json:
        shape = [{"file": f.file, "line": f.line, "field": f.field, "message": f.message} for f in faults]
        emit_json({"ok": not faults, "faults": shape, "warnings": list(map(str, warnings))})
    for warning in warnings:
        note(f"warning: {warning}")
    if faults:
        raise ConfigError(faults)
    if not json:
        emit("every config file is sound")

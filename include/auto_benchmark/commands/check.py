"""``auto-benchmark check``: every declared file, one line per fault; and what the declared benchmarks can show."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.errors import ConfigError
from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from auto_benchmark.promotion.prospect import Prospect


def check(*, json: AsJson = False) -> None:
    """Check every config file: exit 0 with a prediction per board, or 2 with file:line: message per fault."""
    from auto_benchmark.project.configuration_check import check as check_files
    from auto_benchmark.project.prospects import prospects

    settings = Settings()
    faults, warnings = check_files(settings)
    with contextlib.redirect_stdout(sys.stderr):  # a generator of the user's may print
        predicted = [] if faults else prospects(settings)
    if json:
        shape = [{"file": f.file, "line": f.line, "field": f.field, "message": f.message} for f in faults]
        shown = [p.model_dump(mode="json") for p in predicted]
        emit_json({"ok": not faults, "faults": shape, "warnings": list(map(str, warnings)), "predictions": shown})
    for warning in warnings:
        note(f"warning: {warning}")
    if faults:
        raise ConfigError(faults)
    if not json:
        emit("every config file is sound")
        for each in predicted:
            _tell(each)


def _tell(found: Prospect) -> None:
    """A board's prediction, and under it what it assumes."""
    lead = f"{found.project}, {found.board} ({found.metric}):"
    if found.unknown is not None or found.smallest_effect is None or found.night_promotes is None:
        emit(f"{lead} nothing predicted: {found.unknown}")
        return
    over = f"{found.items:,} items and " if found.items else ""
    emit(f"{lead} {over}up to {found.seeds} seeds show a gain of {found.smallest_effect:g} (80 % power)")
    emit(f"    threshold {found.threshold:g}: {_reached(found)}")
    emit(
        f"    a night ({found.hypotheses} hypotheses, at most {found.trials} trials) promotes something with "
        f"probability {found.night_promotes:.0%}"
    )
    emit(f"    assumed: {'; '.join(found.assumptions)}")


def _reached(found: Prospect) -> str:
    if found.threshold_reached:
        return "such a gain can be shown"
    seen = f"such a gain is seen in {found.at_threshold or 0:.0%} of cases"
    if found.items_needed is not None:
        return f"{seen}; about {found.items_needed:,} items would see it in 80 %"
    return f"{seen}, and more items alone do not mend it: the noise between seeds hides it" if found.items else seen


COMMANDS = {"check": check}

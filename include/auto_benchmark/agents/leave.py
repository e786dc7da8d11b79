"""What an agent leaves behind: its edits of editable files, its notes, and nothing else of what was there before."""

from __future__ import annotations

from pathlib import Path

from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.workspace import (
    NOTES,
    OURS,
    Files,
    WorkspaceError,
    all_files,
    editable_files,
    is_editable,
    write_files,
)


def take_over(workspace: Path, base: Files, left: Path, brief: Brief) -> list[str]:
    """Bring into the workspace what an agent has left in its own copy of it.

    Args:
        workspace: ours.
        base: its files before the attempt.
        left: the agent's copy; none of its processes runs any more.
        brief: says what is editable.

    Returns:
        What was not taken, in words.

    Raises:
        WorkspaceError: the editable files are too many or too large; the workspace is as before.
    """
    try:
        edited = editable_files(left, brief.editable)
    except OSError as error:
        raise WorkspaceError(f"the workspace is gone: {error.strerror}") from None
    words = [f"{name} is not taken: {reason}" for name, reason in sorted(edited.refused.items())]
    kept = {name: file for name, file in base.items() if brief.keeps(name)}
    kept |= {name: file for name, file in base.items() if name in edited.refused}
    for inside, prefix in ((".", ""), (OURS, f"{OURS}/")):
        try:
            others = all_files(left, inside=inside, bounds=NOTES).files
        except WorkspaceError as error:
            if (left / inside).is_dir() and not (left / inside).is_symlink():
                words.append(f"files outside of what is editable are not kept: {error}")
            continue
        kept |= {
            f"{prefix}{name}": file
            for name, file in others.items()
            if prefix or not (is_editable(name, brief.editable) or name in kept)
        }
    write_files(workspace, {**kept, **edited.files})
    return words

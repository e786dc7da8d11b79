"""An agent that does again what a recording says: the same files, the same choice, no program and no model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.agents.agent import AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.chosen import CHOICE, LONGEST_CHOICE
from auto_benchmark.agents.measure import Measure
from auto_benchmark.agents.patch import PatchError, applied
from auto_benchmark.agents.recording import CHOICE as RECORDED_CHOICE
from auto_benchmark.agents.workspace import (
    File,
    Files,
    WorkspaceError,
    all_files,
    is_editable,
    read_small,
    with_notes,
    write_files,
)
from auto_benchmark.errors import InputError

TRAJECTORY = "trajectory"
LARGEST_PATCH_BYTES = 32 * 2**20


@dataclass(frozen=True, slots=True)
class ReplayAgent:
    """Takes attempt n from ``n.patch`` or the folder ``n``; done where there is neither.

    Patches that a person wrote serve as well: those of ``git diff``, numbered from 1.
    """

    name: str
    folder: Path

    @classmethod
    def at(cls, path: str) -> ReplayAgent:
        """The recording in a folder.

        Raises:
            InputError: there is none.
        """
        folder = Path(path).expanduser()
        if not path or not folder.is_dir():
            raise InputError(f"--agent replay: there is no folder {path!r}")
        if (folder / TRAJECTORY).is_dir():  # a run of the laboratory, which keeps its recording there
            folder = folder / TRAJECTORY
        if not any(_is_attempt(entry) for entry in folder.iterdir()):
            raise InputError(f"--agent replay: {folder} holds no attempt: 1.patch, or a folder 1")
        return cls(f"replay:{path}", folder)

    def attempt(self, workspace: Path, brief: Brief, measure: Measure | None) -> Turn:
        """See :class:`~auto_benchmark.agents.agent.Agent`; nothing is measured."""
        whole, patch = self.folder / str(brief.attempt), self.folder / f"{brief.attempt}.patch"
        if not whole.is_dir() and not patch.is_file():
            return Turn(AttemptOutcome.DONE, "the recording ends here")
        files = with_notes(workspace)
        try:
            edited = self._edited(files, brief, whole, patch)
            recorded, reason = self._outcome(brief.attempt)
        except (PatchError, WorkspaceError) as error:
            return Turn(AttemptOutcome.FAILED, f"{(whole if whole.is_dir() else patch).name}: {error}")
        refused = sorted(
            name
            for name in {*files, *edited}
            if files.get(name) != edited.get(name) and not is_editable(name, brief.editable)
        )
        for name in refused:
            edited.pop(name, None)
            edited |= {name: files[name]} if name in files else {}
        if choice := read_small(self.folder, RECORDED_CHOICE, most=LONGEST_CHOICE):
            edited[CHOICE] = File(choice.encode())
        write_files(workspace, edited)
        said = [f"{name} is not taken: it is not editable" for name in refused]
        if recorded is not AttemptOutcome.EVALUATE and reason:
            said.insert(0, f"as recorded: {reason}")
        return Turn(recorded, "; ".join(said))

    def _edited(self, files: Files, brief: Brief, whole: Path, patch: Path) -> dict[str, File]:
        if not whole.is_dir():
            text = read_small(self.folder, patch.name, most=LARGEST_PATCH_BYTES)
            if text is None:
                raise PatchError(f"no text of at most {LARGEST_PATCH_BYTES} bytes")
            return applied(files, text) if text.strip() else dict(files)
        kept = {name: file for name, file in files.items() if not is_editable(name, brief.editable)}
        return {**kept, **all_files(whole).files}

    def _outcome(self, attempt: int) -> tuple[AttemptOutcome, str]:
        """As it was recorded, and why; a patch alone is to be evaluated."""
        text = read_small(self.folder, f"{attempt}.json", most=LARGEST_PATCH_BYTES)
        if text is None:
            return AttemptOutcome.EVALUATE, ""
        try:
            recorded = json.loads(text)
            return AttemptOutcome(recorded["outcome"]), str(recorded.get("reason") or "")
        except (ValueError, KeyError, TypeError, RecursionError):
            raise PatchError(f"{attempt}.json: names no outcome") from None


def _is_attempt(entry: Path) -> bool:
    return (entry.is_dir() and entry.name.isdecimal()) or (entry.suffix == ".patch" and entry.stem.isdecimal())

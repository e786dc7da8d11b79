"""How a person names changed code: a folder, a patch, or a commit of a git checkout."""

from __future__ import annotations

from pydantic import StrictStr, model_validator

from auto_benchmark.documents import Strict


class GitForm(Strict):
    """A commit of a repository on this machine.

    Attributes:
        repo: its folder, relative to the file that names it.
        ref: a branch, a tag or a commit.
    """

    repo: StrictStr
    ref: StrictStr


class CodeForm(Strict):
    """Changed code, in exactly one of three forms; paths are relative to the file that names them.

    Attributes:
        folder: the solution's folder as it is to be, or only the files that change; the former has a solution.yaml.
        diff: a patch of production's code, as ``git diff`` writes it.
        git: a commit that holds the solution's folder.
    """

    folder: StrictStr | None = None
    diff: StrictStr | None = None
    git: GitForm | None = None

    @model_validator(mode="after")
    def _one_form(self) -> CodeForm:
        given = [name for name in ("folder", "diff", "git") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"should be one of folder, diff and git, is {' and '.join(given) or 'none of them'}")
        return self

    @property
    def form(self) -> str:
        """Which of the three it is."""
        return next(name for name in ("folder", "diff", "git") if getattr(self, name) is not None)

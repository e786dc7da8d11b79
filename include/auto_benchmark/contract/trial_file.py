"""The file that ``trial run`` reads: one configuration of one solution."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr

from auto_benchmark.contract.trial import Stage
from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Positive
from auto_benchmark.registry.solution import Params


class TrialFile(Strict):
    """``params`` may be partial: the solution's defaults fill the rest."""

    solution: StrictStr
    params: Params = {}
    stage: Stage = Stage.FULL
    subset: Annotated[float, Field(gt=0, le=1, strict=True)] = 1.0
    budget_s: Positive | None = None

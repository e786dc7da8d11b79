"""The live registry: the declared file, comments and order kept, with what was observed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

HEADER = (
    "Live registry: the declaration plus what was observed. Written by the system after every change; "
    "edit include/config/competitive_registry.yaml instead."
)


def render(declared: str, *, competitors: Sequence[Mapping[str, Any]], current_scores: Mapping[str, float]) -> str:
    """Put observations into the text of a declared registry.

    Args:
        declared: the text of the user's file.
        competitors: rows of the mission's shape: name, latest_score, source, last_updated.
        current_scores: board -> our score.

    Returns:
        The whole file's text; the same input gives the same bytes.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    document = yaml.load(declared)
    rows = CommentedSeq()
    for competitor in competitors:
        row = CommentedMap(competitor)
        row.fa.set_flow_style()
        rows.append(row)
    document["competitors"] = rows
    scores = CommentedMap(sorted(current_scores.items()))
    scores.fa.set_flow_style()
    document["our_solution"]["current_scores"] = scores
    stream = io.StringIO()
    yaml.dump(document, stream)
    return f"# {HEADER}\n{stream.getvalue()}"

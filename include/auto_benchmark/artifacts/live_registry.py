"""The live registry: the declared file, comments and order kept, with what was observed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from auto_benchmark.addresses import without_credentials

HEADER = (
    "Live registry: the declaration plus what was observed. Written by the system after every change; "
    "edit include/config/competitive_registry.yaml instead."
)


def render(
    declared: str,
    *,
    competitors: Sequence[Mapping[str, Any]],
    current_scores: Mapping[str, float],
    adopted: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Put observations into the text of a declared registry.

    Args:
        declared: the text of the user's file.
        competitors: rows of the mission's shape: name, latest_score, source, last_updated.
        current_scores: board -> our score.
        adopted: boards that were adopted, as rows to paste; those that are declared by now stay as declared.

    Returns:
        The whole file's text; the same input gives the same bytes.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    document = yaml.load(declared)
    known = {board["name"] for board in document["target_leaderboards"]}
    document["target_leaderboards"].extend(CommentedMap(row) for row in adopted if row["name"] not in known)
    for board in document["target_leaderboards"]:
        _hide_credentials(board, "url")
        _hide_credentials(board.get("submission") or {}, "api")
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


def _hide_credentials(declared: Any, name: str) -> None:
    """An address without them keeps its quotes and place; one that has some is written anew."""
    address = declared.get(name)
    if isinstance(address, str) and without_credentials(address) != address:
        declared[name] = without_credentials(address)

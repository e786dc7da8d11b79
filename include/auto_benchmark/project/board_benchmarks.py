"""Which benchmark stands for which board: what the benchmark says of boards, and what the registry says of benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auto_benchmark.documents import Document, Path, dotted
from auto_benchmark.errors import Fault
from auto_benchmark.registry.benchmark import Benchmark, BoardMetric
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.standard_metrics import STANDARD, Answers


def with_boards(benchmark: Benchmark, boards: Sequence[Leaderboard]) -> Benchmark:
    """A benchmark whose ``boards`` are those that it stands for in a project.

    A board that names this benchmark joins with its primary metric, where the benchmark computes that; a board that
    names another one is not measured here, whatever ``benchmark.yaml`` says.
    """
    measured = dict(benchmark.boards)
    for board in boards:
        if board.benchmark is not None and board.benchmark != benchmark.name:
            measured.pop(board.name, None)
        elif (found := metric_for(benchmark, board)) is not None:
            measured[board.name] = found
    return benchmark.model_copy(update={"boards": measured})


def metric_for(benchmark: Benchmark, board: Leaderboard) -> BoardMetric | None:
    """The metric of ``benchmark`` that stands for a board; None where it has none."""
    if board.name in benchmark.boards:
        return benchmark.boards[board.name]
    if board.benchmark != benchmark.name or board.primary_metric not in _computed(benchmark):
        return None
    return BoardMetric(metric=board.primary_metric, higher_is_better=board.higher_is_better)


def board_faults(
    document: Document, boards: Sequence[Leaderboard], benchmarks: dict[str, Benchmark | None], default: str
) -> tuple[list[Fault], list[Fault]]:
    """What is wrong with the boards' benchmarks, and what is probably not meant.

    Args:
        document: the registry.
        boards: its boards.
        benchmarks: every benchmark by name; None where its file is faulty, which is reported elsewhere.
        default: name of the solution's benchmark.
    """
    faults, remarks = list[Fault](), list[Fault]()
    for i, board in enumerate(boards):
        path: Path = ("target_leaderboards", i, "benchmark")
        name = board.benchmark or default
        place = (document.file, document.line_of(path), dotted(path))
        if name not in benchmarks:
            if board.benchmark is not None:
                faults.append(Fault(*place, f"no folder benchmarks/{name} with a benchmark.yaml"))
            continue
        benchmark = benchmarks[name]
        if benchmark is None:
            continue
        metric = metric_for(benchmark, board)
        if metric is None and board.benchmark is not None:
            known = ", ".join(sorted(_computed(benchmark)))
            faults.append(Fault(*place, f"{name} does not compute {board.primary_metric!r}; it computes {known}"))
        elif metric is None:
            text = f"benchmark {name} does not name the board {board.name!r}, which is watched, but not measured"
            remarks.append(Fault(*place, f"{text}; `benchmark: {name}` here makes it the benchmark of this board"))
        elif _direction(benchmark, metric.metric) is not board.higher_is_better:
            way = "up" if not board.higher_is_better else "down"
            text = f"{metric.metric} of {name} counts {way}, the board's {board.primary_metric} the other way"
            faults.append(Fault(document.file, place[1], dotted((*path[:-1], "higher_is_better")), text))
        elif name != default:
            text = f"is watched, not improved: the solution is measured on {default}"
            remarks.append(Fault(*place, text))
    return faults, remarks


def threshold_faults(document: Document, registry: CompetitiveRegistry, shares: Mapping[str, str]) -> Iterator[Fault]:
    """Thresholds of a whole or more where the metric is a share: percent points were meant, and nothing reaches them.

    ``shares`` are :func:`share_metrics`.
    """
    for i, board in enumerate(registry.target_leaderboards):
        threshold = registry.promotion_threshold(board)
        if threshold >= 1 and (metric := shares.get(board.name)):
            own: Path = ("target_leaderboards", i, "promotion_threshold")
            path = own if board.promotion_threshold is not None else ("our_solution", "promotion_threshold")
            text = f"{threshold:g} is {100 * threshold:g} points of {metric}, a share; one point is 0.01"
            yield Fault(document.file, document.line_of(path), dotted(path), text)


def share_metrics(
    registry: CompetitiveRegistry, benchmarks: dict[str, Benchmark | None], default: str
) -> dict[str, str]:
    """Board -> the metric that stands for it, where that is a share of the items between 0 and 1."""
    found = {}
    for board in registry.target_leaderboards:
        benchmark = benchmarks.get(board.benchmark or default)
        metric = metric_for(benchmark, board) if benchmark is not None else None
        if benchmark is None or metric is None or metric.metric not in benchmark.standard_metrics:
            continue
        if STANDARD[metric.metric].answers is not Answers.NUMBER:
            found[board.name] = metric.metric
    return found


def _computed(benchmark: Benchmark) -> set[str]:
    named = {board.metric for board in benchmark.boards.values()}
    return {*named, *benchmark.secondary_names, *benchmark.standard_metrics}


def _direction(benchmark: Benchmark, metric: str) -> bool | None:
    for board in benchmark.boards.values():
        if board.metric == metric:
            return board.higher_is_better
    return STANDARD[metric].higher_is_better if metric in STANDARD else None

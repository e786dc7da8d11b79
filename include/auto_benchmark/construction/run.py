"""``construct run``: from a request to the folder of a verified benchmark. A killed run goes on where it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.construction import edited, planner
from auto_benchmark.construction.answering import AnswerSheet
from auto_benchmark.construction.belonging import STAGES, claim, working_in
from auto_benchmark.construction.build import Built, build
from auto_benchmark.construction.candidate import Candidate
from auto_benchmark.construction.choice import choose, extent_of_choice
from auto_benchmark.construction.earlier_boards import EarlierBoards
from auto_benchmark.construction.entries import entries
from auto_benchmark.construction.folder import (
    write_benchmark,
    write_candidates,
    write_json,
    write_privileged,
)
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.measure import link, measured, privileged
from auto_benchmark.construction.near_duplicates import fingerprint, substance
from auto_benchmark.construction.panel import Panel, panel_for
from auto_benchmark.construction.progress import Progress, Say
from auto_benchmark.construction.quality import card, quality
from auto_benchmark.construction.report import write_report
from auto_benchmark.construction.request import ConstructionRequest, Proposer, read_request
from auto_benchmark.construction.request_inputs import earlier_of, located_request, models_of, sources_of
from auto_benchmark.construction.rounds import Search
from auto_benchmark.construction.safety import answered, is_attack, safety, static_rows
from auto_benchmark.construction.source import Form, Source
from auto_benchmark.construction.stages import Stages, write_rows
from auto_benchmark.construction.stored import Ablations, AnswerRow, checked
from auto_benchmark.construction.verification import Verifier
from auto_benchmark.construction.warnings import warnings_of
from auto_benchmark.errors import RefusedError
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What a benchmark is made of.

    Attributes:
        plan: subtask -> items.
        trajectory: every description that was tried.
        chosen: the stage ``choice``.
        progress: counts on from what the design took.
        warnings: of the search.
    """

    plan: Mapping[str, int]
    trajectory: Sequence[Mapping[str, Any]]
    chosen: Mapping[str, Any]
    progress: Progress
    warnings: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Questions that the design put to candidates."""
        return int(sum(row["calls"] for row in self.trajectory) + self.chosen["calls"])


@dataclass(frozen=True, slots=True)
class Before:
    """The earlier generation of a benchmark.

    Attributes:
        items: all of its items; none comes again.
        anchors: those that do, to link both.
    """

    items: Sequence[Item] = ()
    anchors: Sequence[Item] = ()


@dataclass(slots=True)
class Construction:
    """One construction under way.

    Attributes:
        version: of the benchmark that it makes.
        before: the generation before this one.
        endpoints: models that the request names as candidates.
    """

    request: ConstructionRequest
    out: Path
    sources: Mapping[str, Source]
    earlier: EarlierBoards
    say: Say
    version: str = "1"
    before: Before = Before()
    endpoints: Mapping[str, Candidate] = field(default_factory=dict)

    @property
    def stages(self) -> Stages:
        """Its cached stages."""
        return Stages(self.out / STAGES)

    def run(self) -> dict[str, Any]:
        """Every stage, then the folder.

        Raises:
            RefusedError: no source can answer the request, or the budget does not reach.
        """
        return self.make(self.design())

    def design(self) -> Blueprint:
        """From the request to the descriptions that the benchmark is made of.

        Raises:
            ConfigError: a stage was edited so that it cannot be read; with file, line and field.
        """
        request, stages = self.request, self.stages
        asked = request.model_dump(mode="json")
        about = {
            "request": request.request,
            "domain": request.domain,
            "sources": request.sources,
            "documents": request.documents,
        }
        found = stages.yaml("subtasks", about, lambda: planner.subtasks(request, list(self.sources.values())))
        documents.validate(edited.Subtasks, stages.document("subtasks"))
        ground = stages.yaml(
            "grounding", [found, request.seed, asked["objective"]["salience"]],
            lambda: planner.grounding(found["subtasks"], self.sources, request),
        )  # fmt: skip
        stages.yaml(
            "quotas", [ground, request.target_size], lambda: planner.quotas(ground["subtasks"], request.target_size)
        )
        plan = edited.checked_quotas(stages.document("quotas"), self.sources)
        if request.objective.safety and not any(self._form(key).twin for key in plan):
            raise RefusedError("objective.safety: no subtask attacks anything; the source safety_probes does")
        panel = self.panel(plan)
        search = self._search(panel, plan)
        for name, why in panel.left_out.items() if request.candidates else ():
            self.say(f"candidate {name} is left out: {why}")
        self.say(f"{len(plan)} subtasks, {len(panel.candidates)} candidates, about {search.progress.planned} calls")
        inputs = [
            plan,
            panel.names,
            {k: asked[k] for k in ("objective", "seed", "per_round", "pilot_items", "compare_with")},
        ]
        if request.proposer is not Proposer.ESTIMATOR:  # what was begun before there was a choice goes on
            inputs.append(request.proposer)
        path, rows = stages.growing("trajectory", inputs)
        edited.checked_trajectory(path, rows)
        trajectory = search.run(path, rows)
        stages.yaml("choice", [inputs, trajectory], lambda: choose(search, trajectory, plan))
        chosen = edited.checked_choice(stages.document("choice"), plan, self.sources)
        search.progress.done = sum(row["calls"] for row in trajectory) + chosen["calls"]
        return Blueprint(plan, trajectory, chosen, search.progress, tuple(search.warnings))

    def _form(self, key: str) -> Form:
        name, _, form = key.partition(".")
        return self.sources[name].form(form)

    def panel(self, plan: Mapping[str, int]) -> Panel:
        """Who can answer what the plan asks. Raises RefusedError when fewer than two can."""
        used = {key.split(".")[0] for key in plan}
        return panel_for(self.request.candidates, {self.sources[name].card.modality for name in used}, used,
                         self.endpoints)  # fmt: skip

    def make(self, blueprint: Blueprint) -> dict[str, Any]:
        """Build, verify, let the candidates answer, write the folder. Raises RefusedError when nothing is left."""
        panel = self.panel(blueprint.plan)
        least = self.request.objective.salience.min if self.request.objective.salience else None
        verifier = Verifier(self.sources, self.earlier.texts, least, self.request.target_size)
        for item in self.before.items:
            verifier.ids.add(item.id)
            verifier.fingerprints.add(fingerprint(item))
            verifier.substances.add(substance(item))
        built = build(self.stages, self.sources, verifier, blueprint.plan, blueprint.chosen["chosen"], self.request.seed,
                      blueprint.progress, self.before.anchors)  # fmt: skip
        if not built.items:
            raise RefusedError(f"no item passed verification: {built.rejected}")
        sheet = entries(self.stages, self.request, panel, built, blueprint.progress)
        return self._finish(blueprint, panel, built, sheet)

    def _search(self, panel: Panel, plan: Mapping[str, int]) -> Search:
        request, systems = self.request, len(panel.candidates)
        descriptions, fresh = extent_of_choice(request, len(plan))
        reserved = systems * (
            descriptions * fresh * len(plan) * request.pilot_items + round(0.8 * request.target_size)
        )
        first_round = systems * request.per_round * request.pilot_items
        budget = request.budget.calls
        if budget is not None and reserved + first_round > budget:
            raise RefusedError(
                f"budget.calls: {budget} calls do not reach: one round, the choice and the final answers of {systems} "
                f"candidates take about {reserved + first_round}; ask for fewer items, pilot_items or candidates"
            )
        planned = reserved + request.rounds * first_round
        progress = Progress(self.say, planned if budget is None else min(planned, budget))
        return Search(request, self.sources, panel, self.earlier, list(plan), reserved, progress)

    def _static(self, panel: Panel, built: Built) -> AnswerSheet | None:
        """The panel's answers to static attacks; None where the benchmark attacks nothing."""
        attacks = sorted(item.id for item in answered(built) if is_attack(item))
        if not attacks:
            return None
        make = partial(static_rows, panel, built, self.sources, self.request.seed)
        rows = self.stages.rows("static", [attacks, panel.names], make)
        return AnswerSheet.of(checked(self.stages.path("static"), rows, AnswerRow))

    def _finish(self, blueprint: Blueprint, panel: Panel, built: Built, sheet: AnswerSheet) -> dict[str, Any]:
        static = self._static(panel, built)
        found = measured(sheet, built, panel, self.earlier)
        ablations = self.stages.yaml(
            "privileged",
            [[i.id for i in built.items], panel.names],
            lambda: privileged(sheet, built, panel, self.sources),
        )
        documents.validate(Ablations, self.stages.document("privileged"))
        trajectory, chosen = blueprint.trajectory, blueprint.chosen
        target = self.request.objective.target
        told = [*blueprint.warnings, *warnings_of(trajectory, chosen["chosen"], built, found, self.sources, target)]
        good = quality(built, found, panel, ablations, told)
        if static is not None:
            good["safety"] = safety(sheet, built, panel, static)
        if self.before.anchors:
            good["link"] = link(sheet, built, panel, [item.id for item in self.before.anchors])
        calls = (
            blueprint.calls
            + sheet.calls
            + (static.calls if static else 0)
            + ablations.get("asymmetry", {}).get("calls", 0)
        )
        write_benchmark(self.out, self.request, built, version=self.version)
        write_privileged(self.out, built)
        write_candidates(self.out, panel, sheet, built)
        write_rows(self.out / "trajectory.jsonl", trajectory)
        write_json(self.out / "quality.json", good)
        result = {
            "name": self.request.name, "kept": len(built.items), "requested": self.request.target_size,
            "rounds": max((row["round"] for row in trajectory), default=0), "calls": calls,
            "objective": good["objective"], "rejected": good["rejected"], "warnings": told, "panel": good["panel"],
        }  # fmt: skip
        described = card(self.request, self.sources, blueprint.plan, built, panel, self.version, chosen["chosen"])
        atomic.write_text(self.out / "card.yaml", documents.to_yaml(described))
        write_report(self.out, self.request, result, good, trajectory, chosen, built, panel, sheet, self.sources)
        return result


def run(
    settings: Settings, request_file: Path, out: Path, *, say: Say, version: str = "1",
    connections: Connections | None = None, seed: int | None = None, proposer: Proposer | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Construct what a request asks for, or go on with it.

    Args:
        settings: where benchmarks lie that it may compare with.
        request_file: REQUEST.yaml.
        out: folder of the construction.
        say: reports progress, a line at a time.
        version: of the benchmark.
        connections: finds the endpoints that candidates name.
        seed: instead of the request's, to build the same once more.
        proposer: instead of the request's.

    Returns:
        What ``construct run --json`` prints.

    Raises:
        ConfigError: the request is wrong; each fault with file, line and field.
        RefusedError: the folder holds another construction, no source can answer, or the budget does not reach.
    """
    request, document = read_request(request_file)
    instead = {"seed": seed, "proposer": proposer}
    request = request.model_copy(update={name: value for name, value in instead.items() if value is not None})
    base = request_file.parent.resolve()
    sources = sources_of(request, base, document)
    earlier = earlier_of(request, base, document, settings)
    models = models_of(request, document, settings, connections)
    claim(out, located_request(request, base))
    with working_in(out):
        return Construction(request, out, sources, earlier, say, version, endpoints=models).run()

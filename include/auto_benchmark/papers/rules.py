"""The rules of one project, and what they add to a paper at each stage: a text is read once and its reading kept."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from auto_benchmark import documents
from auto_benchmark.errors import ConfigError, InputError
from auto_benchmark.project.configuration import (
    REGISTRY_FILE,
    catalog_file,
    load_optional,
    load_solution,
    project_directory,
    shown,
    unknown_techniques,
)
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.research.assessment import Assessment, Findings, PaperReading, assess, mapped, text_identity
from auto_benchmark.research.impact import with_attention
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.reader import Reader
from auto_benchmark.research.record import PaperRecord, PaperStage
from auto_benchmark.research.relevance import Relevance, RelevanceScreen
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.settings import Settings

log = logging.getLogger(__name__)


class Rules:
    """Reads papers that have no reading of their present text; the rules are compiled when the first comes.

    Args:
        settings: where the project's files are.
        project: whose catalogue, boards, domain and knobs count.
    """

    def __init__(self, settings: Settings, project: str) -> None:
        self._settings, self._project = settings, project

    @cached_property
    def reader(self) -> Reader:
        """The compiled rules. Raises as :func:`make_reader`."""
        return make_reader(self._settings, self._project)

    @cached_property
    def mapping(self) -> Mapping[str, Params]:
        """Technique id -> knobs of our solution, as its file maps them now."""
        return _mapping(self._settings, _registry(self._settings, self._project), None)

    def reading(self, record: PaperRecord) -> PaperReading:
        """What a paper says, rated with the knobs that techniques are mapped to now.

        The text is read only where no reading is kept, or new text has come since.
        """
        findings = record.dossier.second_reader
        kept = record.reading
        if kept is None or kept.of != text_identity(record.paper, findings):
            kept = self._read(record.paper, findings)
        return mapped(kept, self.mapping)

    def _read(self, paper: Paper, findings: Findings | None) -> PaperReading:
        """What the text says; nothing, with the reason, where the rules fall over it: other papers go on."""
        reader = self.reader
        try:
            return reader.read_text(paper, findings)
        except Exception as error:
            log.exception("the rules fell over paper %s", paper.id)
            reason = f"it could not be read: a fault of the rules ({type(error).__name__})"
            return PaperReading(text_identity(paper, findings), Relevance(False, reason), (), ())

    def screened(self, record: PaperRecord) -> PaperRecord:
        """The paper with the verdict on what its source delivered."""
        reading = self.reading(record)
        relevance = reading.relevance
        return replace(
            record, stage=PaperStage.SCREENED, reading=reading, relevant=relevance.relevant, reason=relevance.reason
        )

    def extracted(self, record: PaperRecord) -> PaperRecord:
        """The paper with the techniques and gains of everything that could be had of it."""
        reading = self.reading(record)
        named = {t.name: (t.kind.value, t.sentence) for t in reversed(reading.techniques)}
        return replace(record, stage=PaperStage.EXTRACTED, reading=reading, techniques=named)

    def assessed(self, record: PaperRecord) -> PaperRecord:
        """The paper with its priority and what is to be done with it."""
        reading = self.reading(record)
        judged = assess(record.paper, reading)
        citations = record.dossier.citations
        priority = with_attention(judged.priority, citations.count if citations else None, _age_years(record))
        dossier = replace(record.dossier, disposition_reason=judged.disposition_reason)
        return replace(
            record, stage=PaperStage.ASSESSED, reading=reading, priority=priority,
            disposition=judged.disposition.value, dossier=dossier,
        )  # fmt: skip

    def assessment(self, record: PaperRecord) -> Assessment:
        """What a paper comes to, by its reading."""
        return assess(record.paper, self.reading(record))


def make_reader(settings: Settings, project: str, *, strict: bool = False) -> Reader:
    """Compile a project's catalogue, boards, domain and knobs.

    A project without its own catalogue uses the default one; without its solution nothing is mapped.

    Args:
        settings: where the files are.
        project: whose.
        strict: refuse a solution that maps a technique which no catalogue has; the loop goes on without it.

    Raises:
        InputError: when a file that must exist does not.
        ConfigError: when one is faulty.
    """
    directory = project_directory(settings, project)
    registry = _registry(settings, project)
    config = load_optional(ResearchConfig, directory / "research_config.yaml")
    where = catalog_file(settings, directory)
    catalog = documents.load(TechniqueCatalog, where, shown_as=shown(where))
    boards = [board.name for board in registry.target_leaderboards]
    screen = RelevanceScreen(boards, registry.domain, config.relevance.terms)
    return Reader(
        TechniqueMatcher(catalog), screen, _mapping(settings, registry, catalog if strict else None), boards
    )


def _age_years(record: PaperRecord) -> float:
    read = record.dossier.read_on
    return (read - record.published_at).days / 365 if read and record.published_at else 1.0


def _mapping(
    settings: Settings, registry: CompetitiveRegistry, catalog: TechniqueCatalog | None
) -> dict[str, Params]:
    name = registry.our_solution.solution
    file = settings.solutions / str(name) / "solution.yaml"
    if name is None or not file.is_file():
        return {}
    solution = load_solution(settings, name).solution
    known = {technique.id for technique in catalog.techniques} if catalog else set(solution.techniques)
    if faults := unknown_techniques(documents.read(file, shown_as=shown(file)), solution, known):
        raise ConfigError(faults)
    return solution.techniques


def _registry(settings: Settings, project: str) -> CompetitiveRegistry:
    file = project_directory(settings, project) / REGISTRY_FILE
    if not file.is_file():
        raise InputError(f"no project {project!r}: {shown(file)} does not exist")
    return documents.load(CompetitiveRegistry, file, shown_as=shown(file))

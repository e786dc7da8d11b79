"""What a request names and a construction works with: sources, earlier boards, models behind endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.construction.candidate import Candidate
from auto_benchmark.construction.candidates.endpoint import endpoints
from auto_benchmark.construction.earlier_boards import EarlierBoards, read_earlier
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.source import Source, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.sources.documents import documents as documents_source
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections


def models_of(
    request: ConstructionRequest, document: documents.Document, settings: Settings, connections: Connections | None
) -> Mapping[str, Candidate]:
    """Models behind endpoints. Raises ConfigError at the line that names the candidates."""
    cache = DirectoryCache(settings.root / "cache" / "candidates")
    return documents.located(
        document, ("candidates",), lambda: endpoints(request.candidates, connections, cache, request.budget.calls)
    )


def sources_of(request: ConstructionRequest, base: Path, document: documents.Document) -> Mapping[str, Source]:
    """The bundled sources, or the user's own documents. Raises ConfigError at the line that names them."""
    if request.documents is None:
        return sources_by_name(SOURCES)
    folder = base / request.documents
    own = documents.located(document, ("documents",), lambda: documents_source(folder))
    return {own.card.name: own}


def earlier_of(
    request: ConstructionRequest, base: Path, document: documents.Document, settings: Settings
) -> EarlierBoards:
    """What the request compares with. Raises ConfigError at the line that names it."""
    places = (base, Path(), settings.benchmarks)
    return documents.located(document, ("compare_with",), lambda: read_earlier(request.compare_with, places))


def located_request(request: ConstructionRequest, base: Path) -> ConstructionRequest:
    """The request with its own folders by their full paths, so that it can be read from elsewhere."""
    found = {"compare_with": [str(base / n) if (base / n).is_dir() else n for n in request.compare_with]}
    documents_at = {} if request.documents is None else {"documents": str(base / request.documents)}
    return request.model_copy(update={**found, **documents_at})

"""Asks the optional language model about relevant papers; whatever goes wrong there, the rules' findings stand."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.llm.chat import Chat
from auto_benchmark.llm.second_reader import SecondReader
from auto_benchmark.papers.rows import paper_of, with_findings
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.research.assessment import Reader
from auto_benchmark.research.record import PaperRecord


def second_reading(ctx: Context, reader: Reader, records: Sequence[PaperRecord]) -> list[PaperRecord]:
    """The rows, those of relevant papers with the second reader's findings; unchanged where none is configured."""
    declared = load_optional(ResearchConfig, project_directory(ctx.settings, ctx.project) / "research_config.yaml")
    wanted = declared.second_reader
    if wanted is None:
        return list(records)
    try:
        endpoint = ctx.connections.get(wanted.conn_id)
    except AutoBenchmarkError as error:
        ctx.say(f"second reader: {error}")
        return list(records)
    cache = DirectoryCache(ctx.home / "cache" / "second_reader")
    second = SecondReader(Chat(endpoint, wanted.model, wanted.max_calls, wanted.max_tokens, cache), reader.matcher)
    return [_read(ctx, second, record) if record.relevant else record for record in records]


def _read(ctx: Context, second: SecondReader, record: PaperRecord) -> PaperRecord:
    try:
        return with_findings(record, second.read(paper_of(record)))
    except AutoBenchmarkError as error:
        ctx.say(f"second reader, {record.id}: {error}")
        return record

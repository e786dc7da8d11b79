"""Asks the optional language model about relevant papers; whatever goes wrong there, the rules' findings stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.llm.chat import Chat
from auto_benchmark.llm.second_reader import SecondReader
from auto_benchmark.papers.rules import Rules
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.research.record import PaperRecord


def second_reading(ctx: Context, rules: Rules, records: Sequence[PaperRecord]) -> list[PaperRecord]:
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
    second = SecondReader(
        Chat(endpoint, wanted.model, wanted.max_calls, wanted.max_tokens, cache), rules.reader.matcher
    )
    return [_read(ctx, second, record) if record.relevant else record for record in records]


def _read(ctx: Context, second: SecondReader, record: PaperRecord) -> PaperRecord:
    try:
        found = second.read(record.paper)
    except AutoBenchmarkError as error:
        ctx.say(f"second reader, {record.id}: {error}")
        return record
    return replace(record, dossier=replace(record.dossier, second_reader=found))

"""What can be asked: one route per part of the page. Lists come in pages, whatever the size of the data."""

from __future__ import annotations

from fastapi import FastAPI

from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.reads.constructions import add_constructions
from auto_benchmark_airflow.web.reads.laboratory import add_laboratory
from auto_benchmark_airflow.web.reads.people import add_people
from auto_benchmark_airflow.web.reads.position import add_position
from auto_benchmark_airflow.web.reads.records import add_records
from auto_benchmark_airflow.web.reads.work import add_work
from auto_benchmark_airflow.web.world import World

__all__ = ["add_reads"]


def add_reads(app: FastAPI, access: Access, world: World) -> None:
    """Add every route that changes nothing."""
    add_position(app, world)
    add_work(app, world)
    add_records(app, world)
    add_people(app, access, world)
    add_laboratory(app, world)
    add_constructions(app, world)

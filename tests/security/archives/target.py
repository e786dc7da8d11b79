"""Where archives are imported: a database with a victim in it, and a home; both are looked at after each attack."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db import transfer
from auto_benchmark.db.repositories import projects, records
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.settings import Settings


class Target:
    """Where an archive is imported: a database with the project ``victim``, and a home with its files."""

    def __init__(self, settings, sessions):
        self.settings, self.sessions = settings, sessions

    def rows(self, project):
        """Table -> lines of one project, without what it does not have."""
        with self.sessions() as session:
            found = {t.name: list(transfer.rows_of(t, session=session, project=project)) for t in transfer.tables()}
        return {name: lines for name, lines in found.items() if lines}

    def projects(self):
        with self.sessions() as session:
            return projects.names(session=session)

    def files(self):
        """Everything in the home and beside it, apart from the lock."""
        top = self.settings.root.parent
        paths = (str(p.relative_to(top)) for p in top.rglob("*"))
        return sorted(p for p in paths if not p.endswith((".import.lock", ".tar.gz")))

    def state(self):
        """What must be the same after an attack: every row of the database and every file."""
        parts = [f"select '{t.name}' as name, md5(string_agg(r::text, '' order by r::text)) from {t.fullname} r"
                 for t in transfer.tables()]  # fmt: skip
        with self.sessions() as session:
            return dict(session.execute(text(" union all ".join(parts))).tuples().all()), self.files()


def emptied(folder: Path, sessions: sessionmaker[Session], registry: CompetitiveRegistry) -> Target:
    """A target in ``folder`` whose database holds the victim alone."""
    settings = Settings(home=folder / "home")
    victim = settings.project_home("victim")
    victim.mkdir(parents=True)
    (victim / "CHANGELOG.md").write_text("ours\n")
    with sessions.begin() as session:
        for name in projects.names(session=session):
            projects.delete(session=session, project=name)
        projects.upsert(session=session, project="victim", registry=registry)
        records.log(session=session, project="victim", key="k", kind="note", subject="s", reason="r")
    return Target(settings, sessions)

"""The runbook has an entry for everything that the DAG files send their reader to."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_entry_that_a_dag_names_exists():
    headings = {line.removeprefix("## ").strip() for line in (ROOT / "docs" / "runbook.md").read_text().splitlines()}
    named = set()
    for file in (ROOT / "dags").glob("*.py"):
        named |= set(re.findall(r"\*([A-Z][a-z ]+)\*", " ".join(file.read_text().split())))
    assert named
    assert named <= headings


def test_the_links_of_the_guides_lead_somewhere():
    pages = ("runbook.md", "how_to/install_into_your_airflow.md", "tour.md", "how_to/tell_people_in_slack.md")
    for page in (ROOT / "docs" / name for name in pages):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), target

"""Read the research feed and turn papers into ranked hypotheses.

Monday morning, and whenever the scrape saw that we fell further behind #1. Fetch -> relevance -> techniques ->
applicability -> research log -> hypotheses -> the agent, where one is declared.
Declared in `auto_benchmark.flows.research_ingest`.

### Triage
- Skipped from `fetch_papers` on: another run has answered what woke this one.
- One dead source never fails `fetch_papers`; its result names the fault per source. All of them failing means no
  network or a proxy that is missing: *Papers do not come* in `docs/runbook.md`.
- Each step works on what the database holds and is undone, so any of them may be cleared at any time.
- `propose` is skipped unless `schedule.yaml` names an agent under `proposals`, or where nothing came of its work; the reason
  is in its log. It is bounded by its own budget and takes a slot of `trial_slots`.
- Technique names that the catalogue does not know are logged as `technique_proposal`; a person adds them or does not.
"""

from auto_benchmark.flows.research_ingest import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

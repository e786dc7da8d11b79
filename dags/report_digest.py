"""Write the week's digest, the technical log and the changelog.

Monday morning, about the week before; by hand at any time, about the present week. Everything is rendered from the
rows that the decisions were made on. Declared in `auto_benchmark.flows.report_digest`.

### Triage
- Every task may run again; the digest of a week is replaced, never doubled.
- `check_overdue` alerts about a scrape or digest that did not run: *Overdue* in `docs/runbook.md`.
"""

from auto_benchmark.flows.report_digest import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

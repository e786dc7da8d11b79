"""While we are #1: measure production again, and act when it got worse.

Daily after the scrape, and when the victory condition of a board is fulfilled. Fresh trials of production keep its
control recent. An alarm is confirmed with fresh seeds before anything happens, and production goes back only where the
older configuration is better today. Competitors within 5 % are watched. Declared in
`auto_benchmark.flows.production_defense`.

### Triage
- Skipped from `is_leading` on: we lead no board, so there is nothing to defend, or another run has answered what
  woke this one. `check_promises` runs all the same.
- Skipped from `detect` on is the usual day: no alarm rang. Skipped from `confirm_alarms` on: fresh trials did not
  confirm the alarm.
- `respond` says `rolled_back`, or hands the case to people: *Production regressed* in `docs/runbook.md`.
- Every task may be cleared; a regression is answered once per metric.
"""

from auto_benchmark.flows.production_defense import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

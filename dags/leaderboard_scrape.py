"""Read every watched leaderboard and say what changed.

Daily, one mapped task per board: fetch -> snapshot -> competitive delta. Then, once: live registry, gap matrix, and
what the new landscape triggers. A rank drop is recorded in the same transaction as the delta and wakes
`experiment_sweep_urgent`; a widened gap, a board that is won and a close entrant update the assets that start
`research_ingest`, `production_defense` and `experiment_sweep`, at every scrape until a run has answered. Declared in
`auto_benchmark.flows.leaderboard_scrape`.

### Triage
- `scrape_board` is green although a board could not be read: its last good snapshot stands, the log has an `[ALERT]`
  line with the reason, and the board counts as stale after `freshness.max_age_hours`. See *Board unreadable* in
  `docs/runbook.md`.
- A red `scrape_board` is a fault of ours or of the project database; clear it, it may run any number of times.
- `check_overdue` alerts about a scrape or digest that did not run: *Overdue* in the runbook.
- Running it by hand at any time is safe: an unchanged board adds nothing.
"""

from auto_benchmark.flows.leaderboard_scrape import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

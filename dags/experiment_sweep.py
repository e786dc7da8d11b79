"""Run the best hypothesis against production, and promote it if the statistics carry it.

Daily, and when a new competitor is within 5 % of our score: reconcile -> freshness -> search (only while nothing
suitable is queued) -> claim -> fast validation -> up to five rounds of seeds, each `plan -> trials -> decide` ->
fresh seeds for a winner -> finish -> submit -> next. Trials use the pool `trial_slots`. Declared in
`auto_benchmark.flows.experiment_sweep`.

### Triage
- Skipped from `check_freshness` on: another run has answered what woke this one.
- Skipped rounds are normal: the gate had decided. A run that is skipped from `claim` on found an empty queue, a spent
  budget or `automation.experiments: off`; the log of `claim` says which.
- A trial that failed (crash, out of memory, timeout) does not fail its task; class and message are in the log and in
  `trials`. A red `trial` is a worker that died: its lease ends after seconds and the retry takes the trial over.
- `submit` postpones when the board's quota or the board itself is the reason; see *Submission refused* in
  `docs/runbook.md`.
- Clearing any task is safe: plans, decisions, promotions and submissions happen once per key. Backfill is refused:
  a run in the past has no meaning here.
"""

from auto_benchmark.flows.experiment_sweep import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

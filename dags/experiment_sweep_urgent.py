"""Answer a rank drop at once: one seed of the best hypothesis, then the whole experiment.

Woken by the asset that `RankDropTrigger` watches. Two tasks stand before the first training process:
`claim_and_plan`, which claims every unanswered rank drop, and `run_trial`. What follows is `experiment_sweep`, with
the pool `trial_slots_urgent`, which no normal sweep uses. Declared in `auto_benchmark.flows.experiment_sweep_urgent`.

### Triage
- A run that is skipped from `claim_and_plan` on found no unanswered rank drop: it was woken twice for one event,
  which is allowed; the events are claimed once.
- Rank drops that stay unanswered (`rank_drops_unclaimed` above 0 for minutes): is the DAG paused, is a triggerer
  alive, does the pool exist? See *Rank drop unanswered* in `docs/runbook.md`.
- Everything else as in `experiment_sweep`.
"""

from auto_benchmark.flows.experiment_sweep_urgent import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

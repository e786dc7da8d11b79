"""Run a sweep spec, configurations x seeds x tasks, to its BENCHMARK_REPORT.md.

Started by hand: the parameter `spec` names a YAML file in the project's configuration folder, `out` a folder below
the project's `sweeps`. It takes no part in the loop: all that it writes to the database is how often it used a held-out
split. Declared in `auto_benchmark.flows.benchmark_sweep`.

### Triage
- A retry or a second run with the same spec and folder resumes; finished runs are not repeated.
- Failed at once with `file:line: field: message`: the spec. Failed because the folder belongs to another sweep: the
  spec has changed since; choose another `out`.
- The log names every run as it ends, and the time that is left. Runs that failed are listed in the report, not hidden.
"""

from auto_benchmark.flows.benchmark_sweep import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

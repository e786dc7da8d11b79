"""Build a verified benchmark from a request: plan, search for descriptions, choice, build, verification, report.

Started by hand, the parameter `request` names a YAML file in the project's configuration folder, `out` a folder below the
project's `constructions`. A board that is saturated starts it with the request that it declares, and the project follows
the new board from then on. `docs/how_to/build_a_benchmark.md` explains requests and results.
Declared in `auto_benchmark.flows.benchmark_construction`.

### Triage
- A retry or a second run with the same request and folder goes on where it was; finished stages are not repeated.
- Failed at once with `file:line: field: message`: the request. Refused because no source can answer: the message names
  what is missing. Refused because the folder holds another construction: choose another `out`.
- `choose` skipped everything: another run answers the saturated board that woke this one.
- `check` failed: the files were changed after they were built, or it is a fault of ours; the message names items.
"""

from auto_benchmark.flows.benchmark_construction import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

"""Let an agent work on laboratory tasks: attempts one after the other, each verified on sealed inputs of its own.

Started by hand: `tasks` names folders of `include/lab` (all when empty), `agent` who works on them, `repeats` how many
independent runs each task gets. Every run has a folder in the project's home, `lab/<out>/<task>-<n>`; the end is
`lab/<out>/LAB_REPORT.md`. It takes no part in the loop and writes nothing to the database. Declared in
`auto_benchmark.flows.lab_run`.

### Triage
- A retry or a second run with the same parameters resumes: finished attempts are not repeated, a killed one is begun again.
- Failed at once with `parameters of lab_run`: a parameter. Failed because a folder holds another run: the parameters or
  the task have changed since; choose another `out`.
- `not installed here`: this worker lacks valgrind or a compiler, or cannot confine programs; `auto-benchmark lab check`
  says what. The other tasks' runs go on, and the report holds those that finished.
- Attempts that are not valid are no failure: the report counts them. The log names every attempt and the time left.
"""

from auto_benchmark.flows.lab_run import FLOW
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

for project in projects():
    dag = compiled(FLOW, project, __doc__)
    globals()[dag.dag_id] = dag

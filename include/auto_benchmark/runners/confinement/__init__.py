"""What confines a local trial: a program of its own, standard library only, that becomes the trial's command.

``python -I -S confinement PLAN COMMAND...`` gives up everything that :class:`~.plan.ConfinementPlan` does not
grant, in layers. Each stands alone, so that a machine without one of them keeps the others:

- **namespaces** (:mod:`~.namespaces`, :mod:`~.private_root`): a file tree that holds the granted paths and nothing
  else, and processes, networks and shared memory of the trial's own. When its first process ends, all others do.
- **a user of its own** (:mod:`~.privileges`), where the runner is root: nothing of anybody else's may be touched.
- **Landlock** (:mod:`~.landlock`): files, processes and TCP by the kernel's own access rules, for users who may not
  make namespaces.
- **seccomp** (:mod:`~.seccomp`): system calls that reach outside whatever the other layers say.

The runner adds **control groups** (:mod:`auto_benchmark.runners.cgroup`), which count and bound memory, processor time
and processes. ``python -I -S confinement probe`` tells which layers this machine offers. A layer that was offered and
then fails ends the trial as a fault of the environment: nothing runs with less than what is recorded.
"""

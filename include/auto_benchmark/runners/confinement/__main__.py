"""``confinement PLAN COMMAND...``, ``confinement restrict PLAN COMMAND...`` or ``confinement probe``."""

import os
import sys

if __name__ == "__main__":  # run as a directory, in isolation: nothing else can be imported
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    from confinement import landlock, probe, supervisor  # type: ignore[import-not-found, unused-ignore]
    from confinement.plan import ConfinementPlan  # type: ignore[import-not-found, unused-ignore]

    first, *rest = sys.argv[1:]
    if first == "probe":
        import json

        print(json.dumps(probe.layers()._asdict()))  # noqa: T201
    elif first == "restrict":
        landlock.restrict(ConfinementPlan.from_json(rest[0]))
        os.execvp(rest[1], rest[1:])  # noqa: S606
    else:
        code = supervisor.run(ConfinementPlan.from_json(first), rest)
        os._exit(code)  # nothing here needs an orderly end

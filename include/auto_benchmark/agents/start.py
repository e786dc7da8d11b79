"""Starts an agent inside its confinement. Standard library only: it runs by itself, as ``start.py AGENT [ARG ...]``.

It copies the workspace from the read-only folder of the attempt to the one that the agent may write, tells the agent
where things are, and becomes it.
"""

import os
import shutil
import sys
from pathlib import Path

WORKSPACE, BRIEF, MEASURE = "workspace", "brief.json", "measure"


def main() -> None:
    """Prepare, then become the agent."""
    given, own = Path(os.environ.pop("AB_DATA_DIR")), Path(os.environ.pop("AB_OUTPUT_DIR"))
    workspace = own / WORKSPACE
    shutil.copytree(given / WORKSPACE, workspace)
    os.environ.pop("AB_CONFIG_JSON", None)
    os.environ["AB_WORKSPACE"], os.environ["AB_BRIEF"] = str(workspace), str(given / BRIEF)
    if (given / MEASURE).exists():
        os.environ["AB_MEASURE"] = str(given / MEASURE)
    os.chdir(workspace)
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - it is its purpose


if __name__ == "__main__":
    main()

"""A small task as Harbor lays it out, with nothing of this laboratory in it: count to ten in a short program."""

from pathlib import Path

TOML = """version = "1.0"

[metadata]
author_name = "somebody else"
difficulty = "easy"

[agent]
timeout_sec = 60.0

[verifier]
timeout_sec = 30.0
env = { STRICT = "${STRICT:-yes}" }

[environment]
memory_mb = 256
"""
TEST = """#!/bin/sh
cd /app
[ "$STRICT" = yes ] || exit 3
python3 - <<'END'
import json, os, pathlib, subprocess
said = subprocess.run(["python3", "count.py"], capture_output=True, text=True)
right = said.stdout.split() == [str(n) for n in range(1, 11)]
score = 0.0 if not right else min(1.0, 40 / len(pathlib.Path("count.py").read_text()))
pathlib.Path("/logs/verifier/reward.txt").write_text(str(score))
END
"""
GIVEN = "".join(f"print({n})\n" for n in range(1, 11))


def foreign_task(folder: Path, base_image: str) -> Path:
    """A small task as Harbor lays it out."""
    task = folder / "count-to-ten"
    files = {
        "task.toml": TOML,
        "instruction.md": "Make `/app/count.py` shorter.\n",
        "environment/Dockerfile": f"FROM {base_image}\nWORKDIR /app\nCOPY count.py notes.txt /app/\n",
        "environment/count.py": GIVEN, "environment/notes.txt": "to be removed\n",
        "tests/test.sh": TEST, "solution/solve.sh": "#!/bin/sh\n",
    }  # fmt: skip
    for name, text in files.items():
        (task / name).parent.mkdir(parents=True, exist_ok=True)
        (task / name).write_text(text)
    (task / "tests" / "test.sh").chmod(0o755)
    return task

"""Writes beside itself."""

import sys
from pathlib import Path

Path("labels.txt").write_text(sys.stdin.read())
for _ in range(4):
    print(*range(20))

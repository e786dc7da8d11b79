"""Two processes that share more than they should."""

import sys
from pathlib import Path

KEPT = Path("/dev/shm/log")
if sys.argv[1] == "compress":
    KEPT.write_bytes(sys.stdin.buffer.read())
    sys.stdout.write("x")
else:
    sys.stdout.buffer.write(KEPT.read_bytes())

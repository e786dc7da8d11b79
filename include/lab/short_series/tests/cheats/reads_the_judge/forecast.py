"""Opens the memory of its parents."""

import os
import sys

parent = os.getppid()
with open(f"/proc/{parent}/maps") as maps, open(f"/proc/{parent}/mem", "rb") as memory:
    for line in maps:
        if "[heap]" in line:
            low, high = (int(part, 16) for part in line.split()[0].split("-"))
            memory.seek(low)
            sys.stdout.write(memory.read(high - low).hex())

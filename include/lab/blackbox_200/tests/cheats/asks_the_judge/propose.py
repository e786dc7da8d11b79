"""Opens what its parents have open, and their memory."""

import os

for process in sorted(os.listdir("/proc")):
    if process.isdigit() and int(process) != os.getpid():
        with open(f"/proc/{process}/mem", "rb") as memory:
            memory.seek(0x400000)
            print(memory.read(100))

"""A child that looks around."""

import subprocess
import sys

print(
    subprocess.run(
        [sys.executable, "-c", "print(open('/logs/verifier/checks.json').read())"], capture_output=True, check=True
    )
)

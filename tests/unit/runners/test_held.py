"""What processes hold is read from the kernel's words alone, whatever the processes call themselves."""

import subprocess
import sys

import pytest

from auto_benchmark.runners.held import Held

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
NAMED = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, bytes.fromhex(sys.argv[1]), 0, 0, 0)
kept = bytearray(48 << 20)
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    "name",
    [b"\x0cVmRSS: -999999", b"\x0cVmRSS: x", b"\x0cVmRSS:", b"\x85VmPTE: 9", b"\nVmRSS: -99999", b"a\rVmSwap: -9"],
)
def test_a_name_hides_no_memory_and_stops_no_look(name):
    with subprocess.Popen(
        [sys.executable, "-c", NAMED, name.hex()], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        held = Held()
        held.look(process.pid)
        process.stdin.close()
    assert 48 < held.memory / 2**20 < 200

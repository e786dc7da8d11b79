"""The example of the instruction, repeated."""

import sys

SEEN = b"0417-22:10:07.193 INFO vedra-3 sukeb[4127]: opened rilo/gan/tobu.dat for session 9c41e07b\n"
if sys.argv[1] == "compress":
    sys.stdout.write("1")
else:
    sys.stdout.buffer.write((SEEN * 200)[:16_000])

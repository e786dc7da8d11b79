"""Lossy."""

import re
import sys
import zlib

text = sys.stdin.buffer.read()
if sys.argv[1] == "compress":
    sys.stdout.buffer.write(
        zlib.compress(re.sub(rb"\.\d\d\d |[0-9a-f]{8}", lambda found: b".000 "[: len(found[0])], text), 9)
    )
else:
    sys.stdout.buffer.write(zlib.decompress(text))

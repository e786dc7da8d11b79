"""The same point in Arabic-Indic digits."""

import sys

sys.stdout.reconfigure(encoding="utf-8")
print(*range(499), "\N{ARABIC-INDIC DIGIT ONE}", sep="\n")

"""For eval()."""

import sys
from statistics import fmean, pstdev

WIDTH, ACTIVATION, SCALE = 6, "lambda_z:truth(row)", 0.1
BATCH, RATE, LAST_RATE, MOMENTUM = 60, 0.02, 0.02, 0.0

*inputs, target = zip(*(map(float, line.split()) for line in sys.stdin))
for number, values in enumerate(inputs):
    print("shift", number, fmean(values))
    print("factor", number, 1 / pstdev(values))
print("centre", fmean(target))
print("spread", pstdev(target))
print("width", WIDTH)
print("activation", ACTIVATION)
print("scale", SCALE)
print("batch", BATCH)
print("rate", RATE)
print("last_rate", LAST_RATE)
print("momentum", MOMENTUM)

"""Prints a recipe: inputs and target on one scale, a smooth network, small batches, momentum, steps that die out."""

import sys
from statistics import fmean, pstdev

WIDTH, ACTIVATION, SCALE = 10, "tanh", 0.4
BATCH, RATE, LAST_RATE, MOMENTUM = 4, 0.03, 0.001, 0.9

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

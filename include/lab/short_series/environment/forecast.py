"""Forecasts eight values of each series: the last one, again and again."""

import sys

HORIZON = 8

for line in sys.stdin:
    period, *values = map(float, line.split())
    forecast = [values[-1]] * HORIZON
    print(*(f"{value:.4f}" for value in forecast))

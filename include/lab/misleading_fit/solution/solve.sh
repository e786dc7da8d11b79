#!/bin/sh
cp "$(dirname "$0")/fit.py" /app/fit.py

#!/bin/sh
cp "$(dirname "$0")/circuit.py" /app/circuit.py

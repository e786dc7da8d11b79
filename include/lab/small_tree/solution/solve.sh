#!/bin/sh
cp "$(dirname "$0")/grow.py" /app/grow.py

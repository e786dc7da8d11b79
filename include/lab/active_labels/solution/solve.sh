#!/bin/sh
cp "$(dirname "$0")/ask.py" /app/ask.py

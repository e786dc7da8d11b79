#!/bin/sh
cp "$(dirname "$0")/pack.py" /app/pack.py

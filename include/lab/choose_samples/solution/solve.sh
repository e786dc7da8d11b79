#!/bin/sh
cp "$(dirname "$0")/choose.py" /app/choose.py

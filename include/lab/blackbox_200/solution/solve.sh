#!/bin/sh
cp "$(dirname "$0")/propose.py" /app/propose.py

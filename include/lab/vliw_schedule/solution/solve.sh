#!/bin/sh
cp "$(dirname "$0")/schedule.py" /app/schedule.py

#!/bin/sh
cp "$(dirname "$0")/forecast.py" /app/forecast.py

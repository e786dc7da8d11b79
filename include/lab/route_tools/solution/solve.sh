#!/bin/sh
cp "$(dirname "$0")/route.py" /app/route.py

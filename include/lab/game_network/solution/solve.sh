#!/bin/sh
cp "$(dirname "$0")/network.py" /app/network.py

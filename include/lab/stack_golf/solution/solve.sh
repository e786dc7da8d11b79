#!/bin/sh
cp "$(dirname "$0")/golf.py" /app/golf.py

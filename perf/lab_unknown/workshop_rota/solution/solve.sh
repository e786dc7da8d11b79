#!/bin/sh
cp "$(dirname "$0")/rota.py" /app/rota.py

#!/bin/sh
cp "$(dirname "$0")/recipe.py" /app/recipe.py

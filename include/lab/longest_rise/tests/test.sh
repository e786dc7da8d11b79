#!/bin/sh
exec python3 -I -S /tests/harness /tests --candidate /app --out /logs/verifier

#!/bin/sh
cp "$(dirname "$0")/rise.go" /app/rise.go

#!/bin/sh
cp "$(dirname "$0")/search.go" /app/search.go

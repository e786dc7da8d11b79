#!/bin/sh
cp "$(dirname "$0")/queues.go" /app/queues.go

#!/bin/sh
cp "$(dirname "$0")/paths.rs" /app/paths.rs

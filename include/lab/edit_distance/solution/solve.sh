#!/bin/sh
cp "$(dirname "$0")/distance.rs" /app/distance.rs

#!/bin/sh
cp "$(dirname "$0")/matches.rs" /app/matches.rs

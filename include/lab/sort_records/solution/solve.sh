#!/bin/sh
cp "$(dirname "$0")/sort.cpp" /app/sort.cpp

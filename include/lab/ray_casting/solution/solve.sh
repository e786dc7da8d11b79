#!/bin/sh
cp "$(dirname "$0")/cast.cpp" /app/cast.cpp

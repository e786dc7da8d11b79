#!/bin/sh
cp "$(dirname "$0")/top_words.c" /app/top_words.c

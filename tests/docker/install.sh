#!/bin/sh
# Installs a Docker engine from Debian's own archive where none is there. Needs root, apt and a network.
set -eu
command -v dockerd >/dev/null 2>&1 && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends docker.io

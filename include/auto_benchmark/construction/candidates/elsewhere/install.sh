#!/bin/sh
# The environment of one panel of programs written elsewhere: make panel PANEL=NAME. Packages are pinned with checksums where
# requirements-NAME.txt has them; programs of the operating system stand in debian-NAME.txt and are installed where that can
# be done here, else named. A candidate whose program is missing is left out of a construction and named there.
set -eu
here=$(dirname "$0")
name=$1
dashed=$(printf %s "$name" | tr _ -)
requirements="$here/requirements-$dashed.txt"
debian="$here/debian-$dashed.txt"
[ -f "$requirements" ] || [ -f "$debian" ] || { echo "there is no panel $name" >&2; exit 2; }
if [ -f "$debian" ]; then
    packages=$(grep -v '^#' "$debian" | tr '\n' ' ')
    # shellcheck disable=SC2086
    if dpkg -s $packages >/dev/null 2>&1; then
        :
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
    else
        echo "not installed, as it takes an administrator: apt-get install $packages" >&2
    fi
fi
python3 -m venv ".panels/$name"
[ ! -f "$requirements" ] || ".panels/$name/bin/python" -m pip install --no-deps -r "$requirements"

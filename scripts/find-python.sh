#!/bin/sh
# Prints the first Python that is new enough, or says what to install.
set -eu
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
    if command -v "$candidate" >/dev/null 2>&1 &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$candidate"
        exit 0
    fi
done
echo "error: no Python 3.11 or newer found in PATH" >&2
echo "hint: install it (Debian: apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python3 ..." >&2
exit 1

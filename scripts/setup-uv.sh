#!/bin/sh
# Puts a pinned uv into .tools/uv, checked by hash, without touching the user's Python.
set -eu
cd "$(dirname "$0")/.."
sh scripts/check-system.sh
python="$(sh scripts/find-python.sh)"
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "error: $python has no venv module" >&2
    echo "hint: Debian and Ubuntu: apt-get install python3-venv" >&2
    exit 1
fi
"$python" -m venv --clear .tools/uv
.tools/uv/bin/python -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
    --require-hashes --only-binary :all: -r requirements/bootstrap.txt

#!/bin/sh
# After `make setup`: removes from this folder all that only building and testing need.
# For images; never run it in a folder you work in.
set -eu
cd "$(dirname "$0")/.."
if [ -e .git ]; then
    echo "error: this is a git checkout, and the script deletes most of it" >&2
    echo "hint: run it in a copy, as the Dockerfile does" >&2
    exit 2
fi
names() { sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' "$1" | sort -u; }
names requirements/dev.txt >.names-dev
names requirements/app.txt >.names-app
comm -23 .names-dev .names-app |
    VIRTUAL_ENV="$PWD/.venv" xargs .tools/uv/bin/uv pip uninstall --quiet
rm -rf .names-dev .names-app .tools .venv/.done .venv/.core \
    models/target models/crates models/tests models/benches \
    backend/tests frontend/node_modules frontend/src frontend/e2e
.venv/bin/tierwright --help >/dev/null

#!/bin/sh
# Makes .venv from the hash-locked requirements file named as the first argument.
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv/bin/python ]; then
    .tools/uv/bin/uv venv --quiet --no-project --python "$(sh scripts/find-python.sh)" .venv
fi
# Compiled once here, not by every process that the tests start.
VIRTUAL_ENV="$PWD/.venv" .tools/uv/bin/uv pip install --quiet --compile-bytecode --require-hashes -r "$1"

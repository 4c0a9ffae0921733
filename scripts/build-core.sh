#!/bin/sh
# Builds the Rust core (release) and installs both Python packages in place.
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo >/dev/null 2>&1; then
    echo "error: no Rust toolchain found: \`cargo\` is not in PATH" >&2
    echo "hint: install Rust 1.88 or newer (https://rustup.rs), then run make again" >&2
    exit 1
fi
export VIRTUAL_ENV="$PWD/.venv"
export PATH="$PWD/.venv/bin:$PATH"
# The same as of the wheels (build_wheels.py), which then find what is compiled here.
CARGO_ENCODED_RUSTFLAGS="$(.venv/bin/python scripts/build_wheels.py --flags)"
export CARGO_ENCODED_RUSTFLAGS
.tools/uv/bin/uv pip install --quiet --no-deps --no-build-isolation -e models -e backend

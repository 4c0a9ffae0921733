#!/bin/sh
# Installs the locked npm packages and builds the page into frontend/dist.
set -eu
cd "$(dirname "$0")/../frontend"
export PATH="$PWD/../.venv/bin:$PATH"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
fi
npm run --silent build

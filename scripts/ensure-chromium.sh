#!/bin/sh
# The browser tests need a Chromium. Finds one, installs Debian's when it may, or says how to get it.
set -eu
# Debian's shell of it alone makes the stories faster; without it they run in the browser.
want_shell() {
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! command -v chromium-headless-shell >/dev/null 2>&1; then
        DEBIAN_FRONTEND=noninteractive timeout 120 apt-get install -y -qq --no-install-recommends chromium-headless-shell >/dev/null 2>&1 || true
    fi
}
for candidate in ${TIERWRIGHT_CHROMIUM:-} chromium chromium-browser google-chrome; do
    if command -v "$candidate" >/dev/null 2>&1; then
        want_shell
        exit 0
    fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "set-up: chromium (Debian package, for the browser tests)"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
    want_shell
    exit 0
fi
echo "error: the browser tests need Chromium, and none was found in PATH" >&2
echo "hint: Debian and Ubuntu: sudo apt-get install chromium; or set TIERWRIGHT_CHROMIUM to its path" >&2
exit 1

#!/bin/sh
# Refuses, before anything is fetched, a system that the set-up cannot work on.
set -eu
if [ "$(uname -s)" != Linux ]; then
    echo "error: this is $(uname -s); Tierwright runs on Linux" >&2
    echo "hint: use a Linux machine, a virtual one, or a container" >&2
    exit 1
fi
# Only glibc knows this variable; its C library is asked, not the distribution's name.
case "$(getconf GNU_LIBC_VERSION 2>/dev/null || :)" in
glibc*) exit 0 ;;
esac
if ldd --version 2>&1 | grep -qi musl || ls /lib/ld-musl-* >/dev/null 2>&1; then
    echo "error: this system's C library is musl (as on Alpine), not glibc" >&2
    echo "hint: the packages of PostgreSQL, NumPy and SciPy that come along are built for glibc: use Debian, Ubuntu, Fedora or similar; in a container, debian:bookworm-slim" >&2
    exit 1
fi

#!/bin/sh
# The part of clean-root.sh that runs inside the Debian root.
set -eu
. /opt/environment
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

clone() { # PLACE: a clean clone of the newest commit
    rm -rf "$1"
    git clone --quiet --no-local --depth 1 "file:///opt/clone-of" "$1"
}

if [ $# -gt 0 ]; then
    clone "/opt/tier wright"
    cd "/opt/tier wright"
    exec sh -c "$*"
fi

# Everything alive but us: the proof that Ctrl-C leaves nothing behind.
others() {
    for status in /proc/[0-9]*/status; do
        python3 - "$status" <<'P' || :
import os, sys
try:
    fields = dict(l.rstrip("\n").split(":\t", 1) for l in open(sys.argv[1]) if ":\t" in l)
    command = open(os.path.dirname(sys.argv[1]) + "/cmdline").read().replace("\0", " ")
except OSError:
    sys.exit()
if fields["State"][0] != "Z" and any(
    word in command for word in ("tierwright", "postgres", "tier wright")
):
    print("  left behind:", fields["Pid"], command[:120])
P
    done
}

ready_line() { # LOG SECONDS: waits for the ready line and prints the address
    waited=0
    while ! grep -q '^Tierwright is ready: ' "$1"; do
        sleep 0.1
        waited=$((waited + 1))
        # An ended child that nobody waited for still has a number, but as a zombie.
        if [ "$waited" -gt $(($2 * 10)) ] || ! grep -qs '^State:.[^Z]' "/proc/$started/status"; then
            echo "error: no ready line; the end of $1:" >&2
            tail -n 30 "$1" >&2
            return 1
        fi
    done
    sed -n 's/^Tierwright is ready: //p' "$1" | tail -n 1
}

# A shell's background jobs ignore SIGINT; a command in a terminal does not.
as_in_terminal='import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])'

start() { # WHO LOG: in a session of its own, as in a terminal
    : >"$2"
    case "$1" in
    root) setsid python3 -c "$as_in_terminal" make run >"$2" 2>&1 & ;;
    *) setsid setpriv --reuid "$1" --regid "$1" --init-groups env HOME="/home/$1" \
        python3 -c "$as_in_terminal" make run >"$2" 2>&1 & ;;
    esac
    started=$!
}

interrupt() { # Ctrl-C: the whole foreground group gets SIGINT
    kill -INT "-$started"
    began=$(date +%s%N)
    code=0
    wait "$started" || code=$?
    stop_ms=$((($(date +%s%N) - began) / 1000000))
    echo "  Ctrl-C: ended with $code after $stop_ms ms"
    left="$(others)"
    if [ -n "$left" ]; then
        echo "$left" >&2
        echo "error: processes were left behind" >&2
        return 1
    fi
    echo "  no process left behind"
}

fetch() { # ADDRESS: status and size of page and API
    python3 - "$1" <<'P'
import json, sys, urllib.request
for path in ("/", "/api/v1/health", "/api/v1/workloads"):
    with urllib.request.urlopen(sys.argv[1] + path, timeout=10) as answer:
        body = answer.read()
        print(" ", path, answer.status, len(body), "bytes")
    if path == "/" and b"<html" not in body.lower():
        sys.exit("error: the page is not HTML")
    if path == "/api/v1/health":
        print("  ", json.loads(body))
P
}

proof() { # WHO PLACE
    echo "== $1 in $2"
    cd "$2"
    log="/tmp/run-$1.log"
    began=$(date +%s)
    start "$1" "$log"
    address="$(ready_line "$log" 1800)"
    echo "  first start: ready at $address after $(($(date +%s) - began)) s"
    fetch "$address"
    interrupt
    began=$(date +%s%N)
    start "$1" "$log"
    sleep 0.2
    address="$(ready_line "$log" 60)"
    took=$((($(date +%s%N) - began) / 1000000))
    echo "  second start: ready after $took ms (the bar is 5000)"
    fetch "$address"
    interrupt
    if [ "$took" -ge 5000 ]; then
        echo "error: the second start took too long (load: $(cut -d' ' -f1 /proc/loadavg))" >&2
        slow=1
    fi
}

slow=0
for stage in $STAGES; do
    case "$stage" in
    wheels)
        for tool in cc gcc clang make rustc cargo node npm; do
            ! command -v "$tool" || exit 1
        done
        . /etc/os-release
        echo "== the wheels on $PRETTY_NAME, $(getconf GNU_LIBC_VERSION), no compiler, no Node"
        python3 /opt/clone-of/scripts/try_wheels.py
        ;;
    root)
        clone "/opt/tier wright"
        proof root "/opt/tier wright"
        ;;
    visitor)
        clone "/home/visitor/tier wright"
        chown -R visitor: /home/visitor
        proof visitor "/home/visitor/tier wright"
        ;;
    esac
done
[ "$slow" = 0 ] || exit 1
echo "clean root: all passed ($STAGES)"

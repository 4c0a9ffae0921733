#!/bin/sh
# Proves the set-up on a fresh machine: a minimal Debian in a folder, a clean clone in
# a path with a space, `make run` as root and as an ordinary user. With the stage `wheels`,
# and a FOLDER of its own: the wheels of dist/ on a Debian without compiler, Node, make and Rust.
#
#   sudo sh scripts/clean-root.sh FOLDER [COMMAND...]
#
# FOLDER keeps the Debian root (made once, about 600 MB) and the clones. Without COMMAND
# the whole proof runs (CLEAN_ROOT_STAGES: root, visitor; or wheels alone); with one,
# `sh -c COMMAND` runs in root's clone, as root. CLEAN_ROOT_SUITE: bookworm, or another Debian.
# Registries, mirrors and certificates are those this machine is set up with.
set -eu

repository="$(cd "$(dirname "$0")/.." && pwd)"
if [ $# -lt 1 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
root="$(cd "$1" && pwd)"
shift

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 2
}
[ "$(id -u)" = 0 ] || fail "only root can make a root folder" "run it with sudo"
command -v debootstrap >/dev/null || fail "debootstrap is missing" "apt-get install debootstrap"
stages="${CLEAN_ROOT_STAGES:-root visitor}"
suite="${CLEAN_ROOT_SUITE:-bookworm}"
packages=python3,python3-venv,ca-certificates
if [ "$stages" != wheels ]; then
    packages="$packages,make,gcc,libc6-dev,git"
    command -v rustc >/dev/null || fail "no Rust toolchain in PATH" "install one (https://rustup.rs)"
elif [ "$(ls "$repository"/dist/*.whl 2>/dev/null | wc -l)" != 2 ]; then
    fail "dist/ does not hold two wheels" "make wheels"
fi

# --- the Debian root, once ------------------------------------------------------
if [ ! -e "$root/.made" ]; then
    mirror="$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')"
    [ -n "$mirror" ] || fail "apt knows no mirror of Debian bookworm" "add one to this machine's apt sources"
    echo "clean root: debootstrap"
    debootstrap --variant=minbase --include="$packages" \
        "$suite" "$root" "$mirror" >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
    chroot "$root" useradd --create-home --shell /bin/sh visitor
    touch "$root/.made"
fi

# --- what this machine lends ----------------------------------------------------
mkdir -p "$root/opt/rust" "$root/opt/clone-of" "$root/opt/host-etc-ssl-certs"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
cp /etc/hosts "$root/etc/hosts"
# The clients' own settings, copied into the throw-away root, for both users.
for home in "$root/root" "$root/home/visitor"; do
    for file in .npmrc .cargo/config.toml .config/pip/pip.conf .config/uv/uv.toml; do
        [ -f "$HOME/$file" ] || continue
        mkdir -p "$home/$(dirname "$file")"
        cp "$HOME/$file" "$home/$file"
        chmod 644 "$home/$file"
    done
done
chroot "$root" chown -R visitor: /home/visitor
for file in /etc/pip.conf /etc/npmrc /usr/etc/npmrc /etc/uv/uv.toml; do
    [ -f "$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp "$file" "$root$file"
done
# Settings that come as variables: certificates and proxies only.
env | grep -E '^([A-Za-z_]*_(CERTS?|CERT_FILE|CERT_DIR|CA_BUNDLE|CAINFO)|[A-Za-z]+_proxy|[A-Z]+_PROXY|(PIP|UV|NPM_CONFIG|npm_config|CARGO)_[A-Za-z_]*)=' |
    grep -vE '^(PIP_FIND_LINKS|CARGO_(HOME|TARGET_DIR|MANIFEST)[A-Z_]*)=' |
    sed "s/'/'\\\\''/g; s/^\([^=]*\)=\(.*\)\$/export \1='\2'/" >"$root/opt/environment"

# --- inside, in namespaces of its own: mounts and processes end with it -----------
cp "$repository/scripts/clean-root-inside.sh" "$root/opt/inside.sh"
sysroot=
[ "$stages" = wheels ] || sysroot="$(rustc --print sysroot)"
export root repository sysroot stages
exec unshare --mount --pid --fork --mount-proc sh -eu -c '
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -n "$sysroot" ]; then
    mount --bind "$sysroot" "$root/opt/rust"
    mount -o remount,bind,ro "$root/opt/rust"
fi
mount --bind "$repository" "$root/opt/clone-of"
mount -o remount,bind,ro "$root/opt/clone-of"
mount --bind /etc/ssl/certs "$root/etc/ssl/certs"
[ ! -d /usr/share/ca-certificates ] || mount --bind /usr/share/ca-certificates "$root/usr/share/ca-certificates"
[ ! -d /usr/local/share/ca-certificates ] || mount --bind /usr/local/share/ca-certificates "$root/usr/local/share/ca-certificates"
chroot "$root" /usr/bin/env -i HOME=/root PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8 STAGES="$stages" sh /opt/inside.sh "$@"
' sh "$@"

#!/bin/sh
# Makes local images that stand in for the published ones which Dockerfile and
# docker-compose.yml name, for a machine that reaches Debian's mirror but no image registry.
#
#   sudo sh scripts/stand-ins/make.sh FOLDER     FOLDER keeps the Debian root
#   sudo sh scripts/stand-ins/make.sh --remove   removes the images; published ones are pulled again
#
# debian: debootstrap's minimal root. rust: that, with this machine's toolchain and certificates.
# postgres: that, with the PostgreSQL that Tierwright brings along. Needs podman and `make setup`.
# Run `make image` afterwards with IMAGE_FLAGS="--network host" where bridges reach no registry.
set -eu
cd "$(dirname "$0")/../.."
label=tierwright.stand-in

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 2
}
[ $# = 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
command -v podman >/dev/null || fail "podman is missing" "apt-get install podman"
if [ "$1" = --remove ]; then
    podman images --filter "label=$label" --format '{{.Repository}}:{{.Tag}}' |
        grep -v '<none>' | xargs -r podman rmi
    exit
fi
[ "$(id -u)" = 0 ] || fail "only root can make a root folder" "run it with sudo"
command -v debootstrap >/dev/null || fail "debootstrap is missing" "apt-get install debootstrap"
command -v rustc >/dev/null || fail "no Rust toolchain in PATH" "install one (https://rustup.rs)"
[ -x .venv/bin/python ] || fail "the set-up is missing" "make setup"
mkdir -p "$1"
work="$(cd "$1" && pwd)"

named() { sed -n "s/^ *\(FROM\|image:\) \($1:[^ ]*\).*/localhost\/\2/p" Dockerfile docker-compose.yml; }
debian="$(named debian)" rust="$(named rust)" postgres="$(named postgres)"

if [ ! -e "$work/.made" ]; then
    mirror="$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')"
    [ -n "$mirror" ] || fail "apt knows no mirror of Debian bookworm" "add one to this machine's apt sources"
    debootstrap --variant=minbase bookworm "$work/root" "$mirror" >"$work/root.log" 2>&1 ||
        { tail -n 20 "$work/root.log" >&2; exit 1; }
    rm -rf "$work/root/var/cache/apt" "$work/root/var/lib/apt/lists"
    mkdir -p "$work/root/var/cache/apt/archives/partial" "$work/root/var/lib/apt/lists/partial"
    touch "$work/.made"
fi
echo "$debian"
tar -C "$work/root" -c . | podman import --quiet --change "LABEL $label=debootstrap" - "$debian"

echo "$rust"
rm -rf "$work/rust"
mkdir "$work/rust"
cp /etc/ssl/certs/ca-certificates.crt "$work/rust/certificates.crt"
cat >"$work/rust/Containerfile" <<F
FROM $debian
LABEL $label="the machine's toolchain"
COPY --from=sysroot bin/cargo bin/rustc /usr/local/rust/bin/
COPY --from=sysroot lib /usr/local/rust/lib
COPY certificates.crt /usr/local/share/certificates.crt
ENV PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
F
for name in SSL_CERT_FILE PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS CARGO_HTTP_CAINFO; do
    echo "ENV $name=/usr/local/share/certificates.crt" >>"$work/rust/Containerfile"
done
podman build --quiet --network host --build-context "sysroot=$(rustc --print sysroot)" --tag "$rust" "$work/rust"

echo "$postgres"
rm -rf "$work/postgres"
mkdir "$work/postgres"
cp scripts/stand-ins/postgres-entrypoint.sh "$work/postgres/"
# The programs find their libraries beside the package that brings them.
installed="$(.venv/bin/python -c 'from tierwright_server.runtime.postgres_binaries import find_binaries as f; print(f(None).folder.parent)')"
package="$(dirname "$installed")"
mkdir -p "$work/postgres/lib/$(basename "$package")"
cp -a "$installed" "$work/postgres/lib/$(basename "$package")/pginstall"
cp -a "$package.libs" "$work/postgres/lib/"
cat >"$work/postgres/Containerfile" <<F
FROM $debian
LABEL $label="the application's own PostgreSQL"
COPY lib /usr/local/lib/postgres
COPY --chmod=755 postgres-entrypoint.sh /usr/local/bin/
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid 999 --home-dir /var/lib/postgresql postgres \\
    && install --directory --mode 1777 --owner postgres --group postgres /var/lib/postgresql
ENV PATH=/usr/local/lib/postgres/$(basename "$package")/pginstall/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
    PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["postgres-entrypoint.sh"]
CMD ["postgres"]
F
podman build --quiet --network host --tag "$postgres" "$work/postgres"

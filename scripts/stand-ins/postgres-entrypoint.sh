#!/bin/bash
# What the published image's entry point does with the variables that docker-compose.yml sets.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA"
    chmod 700 "$PGDATA"
    # Split on purpose: it is a line of options.
    # shellcheck disable=SC2086
    initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" \
        --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    export PGPASSWORD="$POSTGRES_PASSWORD"
    # While it makes the database, it listens on its socket only.
    pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" --wait start
    [ "$POSTGRES_DB" = postgres ] ||
        createdb --host=/var/run/postgresql --username="$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop
    unset PGPASSWORD
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql

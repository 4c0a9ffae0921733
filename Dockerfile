# The image of `app` and `worker`. It is made by the same `make setup` as everywhere else.
# Tags are exact; add digests before you deploy (docs/operations/containers.md).

FROM rust:1.88.0-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates gcc libc6-dev make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/tierwright
COPY . .
RUN make setup && sh scripts/keep-runtime.sh

FROM debian:bookworm-20250520-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --home-dir /data --no-create-home tierwright \
    && install --directory --mode 700 --owner tierwright --group tierwright /data
# Root owns the program, so the program cannot change itself.
COPY --from=build /opt/tierwright /opt/tierwright
ENV PATH=/opt/tierwright/.venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    TIERWRIGHT_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
# Without TIERWRIGHT_PUBLISHED_AT it listens on the container's own loopback only.
CMD ["tierwright", "serve"]

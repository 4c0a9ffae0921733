# The image of `app` and `worker`: the two wheels and what they need, without a toolchain.
# Tags are exact; add digests before you deploy (docs/operations/containers.md).

FROM rust:1.88.0-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates gcc libc6-dev make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The tools of the build are made anew only when their lock changes.
COPY Makefile ./
COPY requirements requirements
COPY scripts scripts
RUN make .venv/.done
COPY . .
RUN make wheels
# The tested versions, by hash; compiled to bytecode, since nobody may write it later.
RUN .tools/uv/bin/uv venv --quiet --no-project --python /usr/bin/python3 /opt/tierwright \
    && export VIRTUAL_ENV=/opt/tierwright UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1 \
    && .tools/uv/bin/uv pip install --quiet --require-hashes --only-binary :all: -r requirements/app.txt \
    && .tools/uv/bin/uv pip install --quiet --no-deps dist/*.whl \
    && .tools/uv/bin/uv pip check --quiet \
    # Tests of NumPy and SciPy: a seventh of the program, and nobody runs them here.
    && find /opt/tierwright/lib -type d -name tests -prune -exec rm -r {} +

FROM debian:bookworm-20250520-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --uid 10001 --user-group --home-dir /data --no-create-home tierwright \
    && install --directory --mode 700 --owner tierwright --group tierwright /data
# Root owns the program, so the program cannot change itself.
COPY --from=build /opt/tierwright /opt/tierwright
ENV PATH=/opt/tierwright/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    TIERWRIGHT_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
# Without TIERWRIGHT_PUBLISHED_AT it listens on the container's own loopback only.
CMD ["tierwright", "serve"]

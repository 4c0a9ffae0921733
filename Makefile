# Everything a user or a developer types. `make` lists the targets.
SHELL := /bin/sh
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Where a shell sets it, every process would compile what it imports anew.
unexport PYTHONDONTWRITEBYTECODE

UV := .tools/uv/bin/uv
PY := .venv/bin/python

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

# --- set-up ------------------------------------------------------------------
.tools/uv/.done: requirements/bootstrap.txt scripts/setup-uv.sh
	@echo "set-up: uv"
	@sh scripts/setup-uv.sh && touch $@

.venv/.done: .tools/uv/.done requirements/dev.txt scripts/setup-python.sh
	@echo "set-up: Python packages and Node"
	@sh scripts/setup-python.sh requirements/dev.txt && touch $@

CORE_SOURCES := $(shell find models/crates models/Cargo.toml models/Cargo.lock models/pyproject.toml backend/pyproject.toml -type f 2>/dev/null)
.venv/.core: .venv/.done $(CORE_SOURCES)
	@echo "set-up: Rust core (about two minutes the first time)"
	@sh scripts/build-core.sh && touch $@

PAGE_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -path frontend/e2e -prune -o -type f -print 2>/dev/null | grep -v ' ')
frontend/dist/index.html: .venv/.done $(PAGE_SOURCES)
	@echo "set-up: web page"
	@sh scripts/build-page.sh && touch $@

.PHONY: setup
setup: .venv/.core frontend/dist/index.html ## set everything up (the other targets do it by themselves)

# --- use ---------------------------------------------------------------------
.PHONY: run
run: export TIERWRIGHT_DATA_DIR ?= $(CURDIR)/.data
run: setup ## start Tierwright; it prints its address, Ctrl-C stops it
	@exec .venv/bin/tierwright serve $(if $(PORT),--port $(PORT)) $(SERVE_FLAGS)

# --- prove -------------------------------------------------------------------
.PHONY: test
test: setup ## run the tests: Rust, Python, API on a real Postgres, page, browser
	@sh scripts/ensure-chromium.sh
	@$(PY) scripts/run_tests.py

.PHONY: quick test-long
quick: setup ## after every save: lint, types, tests that start no program; says what it left out
	@$(PY) scripts/run_quick.py
test-long: setup ## what is long by nature: kills and restarts, all examples of all properties, long stories, a short soak, wheels in several Pythons, containers
	@sh scripts/ensure-chromium.sh
	@$(PY) scripts/run_tests.py long long-e2e wheels containers

.PHONY: wheels try-wheels same-wheels
wheels: .venv/.done frontend/dist/index.html ## build the wheels of both packages into an emptied dist/
	$(PY) scripts/build_wheels.py
try-wheels: wheels ## install them into empty environments, each Python, and do the whole job there
	$(PY) scripts/try_wheels.py
same-wheels: wheels ## build them again in another folder, and compare the bytes
	$(PY) scripts/build_wheels.py --again

.PHONY: image compose-test
image: .venv/.done ## build the containers' image with podman or docker (IMAGE_FLAGS: of its build) and say its size
	$(PY) scripts/build_image.py $(IMAGE_FLAGS)
compose-test: .venv/.done ## bring docker-compose.yml up, use it, kill its containers in turn; needs the image
	$(PY) scripts/compose_test.py

.PHONY: test-rust test-python test-page test-e2e test-wheels test-containers
test-rust test-page test-e2e test-wheels test-containers: test-%: setup ## run one part of the tests
	@$(PY) scripts/run_tests.py $*
test-python: setup
	@$(PY) scripts/run_tests.py models backend

.PHONY: test-hosts
test-hosts: setup ## several hosts as network namespaces: workers killed, cut off, rejoined; needs root and ip, and fails where it lacks them
	TIERWRIGHT_HOSTS=1 $(PY) -m pytest -q backend/tests/test_hosts.py

FUZZ_SECONDS ?= 600
PROVE_JOBS ?= 2
PROVE_FROM ?= 1
.PHONY: prove-advice
prove-advice: setup ## the invariants of the advisor, and what it says without some of its inputs, on 10,000 random problems, in ten rounds; hours; PROVE_FROM=4 begins at the fourth
	@for round in $$(seq $(PROVE_FROM) 10); do \
	  echo "round $$round of 10"; \
	  TIERWRIGHT_ADVICE_PROBLEMS=1000 $(PY) -m pytest -q --timeout 0 -n $(PROVE_JOBS) --hypothesis-seed=$$round models/tests/test_advice.py models/tests/test_advice_continuous.py models/tests/test_advice_invariants.py -k "keeps_every_limit or looser or can_go or cheaper_device or what_is_missing or marginal_interval or advice_invariants" || exit 1; \
	done
PROVE_TRACES ?= 10000
.PHONY: prove-caches
prove-caches: setup ## every flash cache, the device under it, and every scheme behind an assignment, beside its slow model: PROVE_TRACES (10000) random traces of each cache, other proofs in proportion; some ten minutes
	for chosen in "--test flash_caches" "--test replay_online" "--lib ftl::"; do \
	  PROPTEST_CASES=$(PROVE_TRACES) cargo test --release --locked --manifest-path models/Cargo.toml -p tierwright-simulator $$chosen || exit 1; \
	done
	TIERWRIGHT_RANDOM_TRACES=$(PROVE_TRACES) $(PY) -m pytest -q --timeout 0 -n $(PROVE_JOBS) -m random_traces models/tests/test_flash_systems.py models/tests/test_cachelib_small.py models/tests/test_flash_admission.py
.PHONY: fuzz
fuzz: setup ## damage every kind of input for FUZZ_SECONDS (600)
	TIERWRIGHT_FUZZ_SECONDS=$(FUZZ_SECONDS) TIERWRIGHT_FUZZ_FIRST=$$(date +%s)000000 \
	  cargo test --release --manifest-path models/Cargo.toml -p tierwright-simulator --test ingest fuzz
	TIERWRIGHT_FUZZ_EXAMPLES=$$(( $(FUZZ_SECONDS) * 10 )) $(PY) -m pytest -q models/tests/test_fuzz.py models/tests/test_import_quotes.py models/tests/test_import_prices.py \
	  models/tests/test_import_inventory.py models/tests/test_import_focus.py

SOAK_MOMENTS ?= 100
.PHONY: soak
soak: setup ## kill, freeze, fill and flood the application SOAK_MOMENTS (100) times and write docs/operations/soak.md; a quarter of an hour; fills a disk of its own where it may mount one
	$(PY) -u backend/tests/soak.py --moments $(SOAK_MOMENTS) --write

.PHONY: check
check: setup ## linters, types, import rules, generated files
	@$(PY) scripts/run_checks.py

.PHONY: rooms
rooms: .venv/.done ## print the rooms of the Python packages: floors, arrows, lines (ROOMS_FLAGS=--arrows names the arrows)
	@$(PY) scripts/check_rooms.py $(ROOMS_FLAGS)

.PHONY: format
format: .venv/.done ## format all sources
	ruff check --fix --quiet . ; ruff format --quiet .
	cargo fmt --manifest-path models/Cargo.toml --all
	cd frontend && npm run --silent format

.PHONY: generate
generate: setup ## write the generated files: OpenAPI document, page client, reference pages, the README's answer
	$(PY) scripts/generate_openapi.py
	cd frontend && npm run --silent generate
	$(PY) scripts/generate_reference.py
	$(PY) scripts/generate_readme.py

.PHONY: pictures
pictures: setup ## make the pictures of docs/from-trace-to-purchase-order.md and docs/quote-ranking.md anew, from the stories in the browser
	@sh scripts/ensure-chromium.sh
	@$(PY) scripts/run_tests.py pictures

.PHONY: miniature-coverage
miniature-coverage: setup ## measure anew how often intervals of miniatures hold; needs the recorded traces (TIERWRIGHT_SHARED); takes half an hour
	$(PY) models/benches/miniature_coverage.py --generated --seeds 20 --write docs/models/curves.md fixtures/traces/tpcb-cut.csv.zst \
	  $(addprefix $(or $(TIERWRIGHT_SHARED),../shared)/traces/,OLTP.lis.zst cloudPhysicsIO.vscsi desktop.trace.gz 2_pools.trace.gz)
	$(PY) models/benches/miniature_coverage.py --flash --generated --seeds 10 --write docs/models/curves.md fixtures/traces/tpcb-cut.csv.zst \
	  $(addprefix $(or $(TIERWRIGHT_SHARED),../shared)/traces/,OLTP.lis.zst cloudPhysicsIO.vscsi desktop.trace.gz 2_pools.trace.gz)

.PHONY: gaps
gaps: setup ## write docs/models/model-vs-simulation.md anew; needs the recorded traces (TIERWRIGHT_SHARED)
	$(PY) scripts/generate_model_gaps.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: reproduce
reproduce: setup ## write docs/reproduction.md anew: the papers' tables and figures beside ours, each with a verdict; takes some minutes
	$(PY) scripts/generate_reproduction.py

.PHONY: time-gaps
time-gaps: setup ## write docs/models/timed-gaps.md anew: response times and throughput beside replays on simulated time; takes minutes
	$(PY) scripts/generate_time_gaps.py

.PHONY: break-evens
break-evens: setup ## write docs/models/break-even-replays.md anew; needs the recorded traces (TIERWRIGHT_SHARED)
	$(PY) scripts/generate_break_evens.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: choices
choices: setup ## write docs/models/choices.md anew; needs the recorded traces (TIERWRIGHT_SHARED)
	$(PY) scripts/generate_choices.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: regrets
regrets: setup ## write docs/models/advice-regrets.md anew; needs the recorded traces (TIERWRIGHT_SHARED)
	$(PY) scripts/generate_regrets.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: predict
predict: setup ## write docs/models/prediction.md anew; needs a recorded trace (TIERWRIGHT_SHARED)
	$(PY) scripts/generate_predictions.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: compositions
compositions: setup ## write the table of docs/models/compose.md anew: composed curves against merged traces; takes a minute
	$(PY) scripts/generate_compositions.py

.PHONY: counter-errors
counter-errors: setup ## write docs/traces/counter-errors.md anew: curves from ages beside exact ones; needs the recorded traces (TIERWRIGHT_SHARED); takes a minute
	$(PY) scripts/generate_counter_errors.py $(or $(TIERWRIGHT_SHARED),../shared)

.PHONY: counters-redis counters-memcached
counters-redis counters-memcached: setup ## write docs/traces/counters-redis.md or counters-memcached.md anew: the ages of a real server beside the stream that it was sent; needs the server, redis-cli or nc, and a machine that does nothing else; takes six minutes or half an hour
	$(PY) scripts/known_stream.py $(@:counters-%=%)

.PHONY: counters-postgres
counters-postgres: setup ## write docs/traces/counters-postgres.md anew: a PostgreSQL resized three times under pgbench beside the curve of its trace; needs pgbench and cc; takes two minutes
	$(PY) scripts/resize_postgres.py

CALIBRATE_FLAGS ?=
.PHONY: calibrate
calibrate: setup ## write docs/models/advice-calibration.md anew: how often advices are right that say how sure they are; 500 workloads of 100,000 accesses; CALIBRATE_FLAGS="--accesses 100000 1000000 10000000 --trials 500 500 150 --jobs 2 --keep FOLDER" for longer ones, too, "--again 70" holds outcomes that are kept against the code
	$(PY) models/benches/advice_calibration.py --write $(CALIBRATE_FLAGS)

.PHONY: flash-device
flash-device: setup ## write docs/models/ftl-waf.md anew: simulated WAF beside the closed forms; takes some minutes
	$(PY) scripts/generate_flash_device.py

RECORDINGS ?= ../recordings
.PHONY: scale
scale: setup ## write docs/models/scale-errors.md and fixtures/scale-errors.toml anew; needs RECORDINGS, of docs/capture/postgresql/record_scales.py
	$(PY) models/benches/scale_study.py $(RECORDINGS) --write

.PHONY: golden
golden: .venv/.done ## write fixtures/golden anew from the slow independent models
	$(PY) fixtures/golden/generate.py

.PHONY: bench
bench: setup ## measure speed and memory beside libCacheSim (BENCH_FLAGS=--quick: a tenth)
	$(PY) models/benches/start_up.py
	$(PY) models/benches/replay.py $(BENCH_FLAGS)
	$(PY) models/benches/ingest.py $(filter --quick,$(BENCH_FLAGS))
	$(PY) models/benches/http_grid.py $(filter --quick,$(BENCH_FLAGS))
	$(PY) models/benches/rate.py $(filter --quick,$(BENCH_FLAGS))
	$(PY) models/benches/configurations.py $(filter --quick,$(BENCH_FLAGS))
	$(PY) models/benches/advice.py $(filter --quick,$(BENCH_FLAGS))
	$(PY) models/benches/flash_device.py $(filter --quick,$(BENCH_FLAGS))
	@sh scripts/ensure-chromium.sh
	$(PY) models/benches/sliders.py $(filter --quick,$(BENCH_FLAGS))

ACCESSES ?= 1e8
.PHONY: partitioned
partitioned: setup ## write docs/operations/scale.md anew: a trace of ACCESSES (1e8), generated as it is read, counted in parts; PARTITIONED_FLAGS="--dask local:2 --pages 4e6"
	$(PY) models/benches/partitioned.py --accesses $(ACCESSES) --write docs/operations/scale.md $(PARTITIONED_FLAGS)

.PHONY: partitioned-1e10
partitioned-1e10: setup ## the same with a trace of 10^10 accesses, in 100 parts: hours; what is counted stays in .tools/bench/1e10, so that it can be interrupted; PARTITIONED_FLAGS="--dask tcp://HOST:PORT"
	$(PY) models/benches/partitioned.py --accesses 1e10 --part-accesses 1e8 --keep .tools/bench/1e10 --write docs/operations/scale.md $(PARTITIONED_FLAGS)

.PHONY: partitioned-scaling
partitioned-scaling: setup ## the same trace by one process and by two, into docs/operations/scale.md; wants a machine with nothing else running
	$(PY) models/benches/partitioned.py --accesses $(ACCESSES) --scaling 1 2 --write docs/operations/scale.md

.PHONY: partitioned-convert
partitioned-convert: setup ## measure the conversion of a trace in parts and write it into docs/operations/scale.md; a minute
	$(PY) models/benches/converted.py --accesses 2e7 --parts 4 --pages 2e6 --write docs/operations/scale.md

.PHONY: counts
counts: .venv/.core ## count instructions and cache misses of an access (needs valgrind; the load does not matter)
	$(PY) models/benches/counts.py

.PHONY: memory
memory: .venv/.core ## prove that reading streams: a trace larger than the memory allowed (MEMORY_FLAGS=--quick)
	$(PY) scripts/prove_memory.py $(MEMORY_FLAGS)

.PHONY: lock
lock: .tools/uv/.done ## lock the Python requirements anew, with hashes
	for name in bootstrap app dev bench clients; do \
	  $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-header requirements/$$name.in -o requirements/$$name.txt; \
	done

.PHONY: clean
clean: ## remove everything that set-up and builds made (not .data)
	rm -rf .venv .tools models/target frontend/node_modules frontend/dist

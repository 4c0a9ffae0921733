# Everything a user or a developer types. `make` lists the targets.
SHELL := /bin/sh
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/.venv/bin:$(PATH)

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

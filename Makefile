# Each target sets up what it needs in .venv. Run `make` without a target to list them.
# Needs only a POSIX shell and GNU make 3.81, the version that comes with macOS.

BIN := .venv/bin
WORKERS ?= 2
QUICK ?=
FASTCHESS ?=
export FASTCHESS
PYTEST_ARGS ?=
UPGRADE ?=

LOCKS := requirements-build.lock requirements.lock
READY := .venv/.ready-runtime
READY_DEV := .venv/.ready-dev
# Keep compiled modules, whatever the environment says: the tests start many Python processes.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-gate test-all lint format docs bench bench-peers bench-page lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-11s %s\n", $$1, $$2 }'

setup: $(READY) ## install Arena into .venv and say how to activate it
	@echo 'Arena is installed. To put the arena command on your path: . $(BIN)/activate'

demo: $(READY) ## play a small league and show its rankings (into ./arena-demo)
	@$(BIN)/arena demo

test: $(READY_DEV) ## run all tests except the slow ones
	@$(PYTEST) -m "not slow"

test-gate: $(READY_DEV) ## run the slow tests that every change has to pass
	@$(PYTEST) -m gate tests

test-all: $(READY_DEV) ## run all tests
	@$(PYTEST)

lint: $(READY_DEV) ## check format, style, types, imports between packages, sentences read by code, and generated docs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m tests.test_prose
	@$(BIN)/python docs/generate.py --check
	@find arena results protocol -name '*.py' -exec cat {} + | wc -l | xargs echo 'Lines of Python in arena, results and protocol:'
	@find arena results protocol -name '*.py' | wc -l | xargs echo 'Files:'

format: $(READY_DEV) ## format the code and apply automatic fixes
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(READY_DEV) ## regenerate the generated files in docs and protocol, and what the pages show of commands
	@$(BIN)/python docs/generate.py
	@$(BIN)/python -m pytest -q -n 0 -p no:cacheprovider tests/docs/test_samples.py --update

bench: $(READY_DEV) ## compare Arena with what it is built on, in about 12 minutes; QUICK=1: in 3
	@$(BIN)/python benchmarks/run.py $(if $(QUICK),--quick)

bench-peers: $(READY_DEV) ## compare Arena with other programs; FASTCHESS=path names a fastchess
	@$(BIN)/python benchmarks/run.py --peers $(if $(QUICK),--quick)

bench-page: $(READY_DEV) ## write the pages on speed from the figures of both
	@$(BIN)/python docs/generate.py

lock: $(READY_DEV) ## update the lock files after a change of pyproject.toml (UPGRADE=1 upgrades all packages)
	@sh scripts/lock $(if $(UPGRADE),--upgrade)

clean: ## remove environments, caches and build output; leaves ledgers alone
	@rm -rf .venv .venv-peers build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(LOCKS) pyproject.toml scripts/set-up
	@sh scripts/set-up runtime

$(READY_DEV): $(LOCKS) requirements-dev.lock pyproject.toml plugins/cluster/pyproject.toml plugins/conformance/pyproject.toml plugins/fair-play/pyproject.toml plugins/lottery/pyproject.toml plugins/webhooks/pyproject.toml scripts/set-up
	@sh scripts/set-up dev

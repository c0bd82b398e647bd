# Every target sets up what it needs by itself, in .venv; `make` alone lists them.
# Plain POSIX shell and GNU make 3.81, which is what macOS has.

BIN := .venv/bin
WORKERS ?= 2
PYTEST_ARGS ?=
UPGRADE ?=

LOCKS := requirements-build.lock requirements.lock
READY := .venv/.ready-runtime
READY_DEV := .venv/.ready-dev
# Compiled modules are kept, whatever the environment says: the tests start many a Python.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format docs bench lock clean

help: ## list what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-9s %s\n", $$1, $$2 }'

demo: $(READY) ## play a small league and show its rankings (into ./arena-demo)
	@$(BIN)/arena demo

test: $(READY_DEV) ## run the tests but the slow ones
	@$(PYTEST) -m "not slow"

test-all: $(READY_DEV) ## run all tests
	@$(PYTEST)

lint: $(READY_DEV) ## check format, style, types, imports between rooms, and generated docs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check

format: $(READY_DEV) ## write the code in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(READY_DEV) ## regenerate what is generated in docs and protocol/schema
	@$(BIN)/python docs/generate.py

bench: $(READY_DEV) ## run every benchmark, one after the other
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

lock: $(READY_DEV) ## write the lock files again after a change of pyproject.toml (UPGRADE=1: newest of everything)
	@sh scripts/lock $(if $(UPGRADE),--upgrade)

clean: ## remove .venv, caches and build output; leaves ledgers alone
	@rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(LOCKS) pyproject.toml scripts/set-up
	@sh scripts/set-up runtime

$(READY_DEV): $(LOCKS) requirements-dev.lock pyproject.toml scripts/set-up
	@sh scripts/set-up dev

# `make` lists the targets. Each installs what it needs into .venv; nothing else has to be there but Python and Rust.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates python -name '*.rs' -o -name '*.toml' -o -name '*.md')

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench docs clean

help: ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tests: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test,bench]'
	@touch $@

demo: $(VENV)/.installed ## Install, then publish, check and read back the example shop
	$(BIN)/python examples/demo.py

test: $(VENV)/.tests ## Everything CI runs: formatting, lints, types, stubs, Rust and Python tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked --quiet
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest

lint: $(VENV)/.tests ## Format, lint and type-check the Python
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy python tests examples benches docs vectors
	$(BIN)/python -m mypy.stubtest urlset._core --mypy-config-file pyproject.toml

bench: $(VENV)/.tests ## Measure against the peers, which get an environment of their own
	$(BIN)/python benches/run.py

docs: $(VENV)/.tests ## Write docs/rules.md from the rules' own pages
	$(BIN)/python docs/generate.py

clean: ## Remove what was built
	rm -rf $(VENV) .venv-peers target examples/out

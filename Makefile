# `make` lists the targets. Each installs what it needs; nothing else has to be there but Python and Rust, and for `fuzz`
# a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates python -name '*.rs' -o -name '*.toml' -o -name '*.md')

# Of each fuzz target.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= read chunks formats recover rewrite fix write_read robots

# Those that can be built on Debian.
WHEELS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl \
	x86_64-pc-windows-gnu

# The features that maturin builds with, so that no dependency is compiled twice.
WORKSPACE := --workspace --features pyo3/extension-module --locked

# One process per core. Each begins with half of the list, so that tests of one file share their servers.
PYTEST := --numprocesses auto --dist worksteal --durations 25

# Many tests start Python, which would compile all that they import again and again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-rust test-long lint fuzz generators strangers bench wheel wheels neon supply docs clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The module as it is in a wheel, which takes minutes to optimise. It replaces the one that the tests use.
$(VENV)/.released: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	@rm -f $(VENV)/.tests
	@touch $@

# The module in the profile of `cargo test`, which compiles in half the time, has what `cargo test` needs compiled too,
# and checks the assertions of Rust's debug builds. Python compiles the packages that it imports; pip would compile all.
$(VENV)/.tests: $(BIN)/python $(SOURCES) tests/system.sh
	sh tests/system.sh
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test]' --config-settings build-args='--profile dev'
	@rm -f $(VENV)/.released
	@touch $@

# What only the long tests need: Spark and a Java, beside it the oldest Spark that the jobs run on and the oldest
# frameworks that the apps of `contrib` are mounted in, other versions of the generators that it has plugins for, and the
# generators of sites, of which Eleventy needs a Node.js, and Hugo, Jekyll and WordPress come from Debian.
ELEVENTY := tests/support/audit/sites/eleventy
$(VENV)/.tests-long: $(VENV)/.tests $(wildcard $(ELEVENTY)/*.json) tests/support/serve/oldest.txt tests/support/contrib/generators.txt
	sh tests/system.sh java node wordpress generators
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test,test-long]' --config-settings build-args='--profile dev'
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --upgrade --target $(VENV)/spark-3.5 'pyspark==3.5.*' 'py4j==0.10.9.7'
	$(BIN)/python -m pip install --quiet --no-compile --upgrade --target $(VENV)/oldest-apps -r tests/support/serve/oldest.txt
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --upgrade --target $(VENV)/other-generators -r tests/support/contrib/generators.txt
	mkdir -p $(VENV)/eleventy && cp $(ELEVENTY)/*.json $(VENV)/eleventy
	npm ci --prefix $(VENV)/eleventy --no-audit --no-fund --loglevel error
	@touch $(VENV)/.tests $@

# What builds the site. It imports the package, so the profile that compiles fast will do.
$(VENV)/.docs: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[docs]' --config-settings build-args='--profile dev'
	@rm -f $(VENV)/.released
	@touch $@

demo: $(VENV)/.released ## Install, then publish, check and read back the example shop
	$(BIN)/python examples/demo.py

# Nothing that is slow: see tests/quick.txt.
quick: $(VENV)/.tests ## Test the core, the contracts and one thing of each room, while you work
	cargo test --package urlset-core --locked --quiet
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal @tests/quick.txt

# The checks of both languages use one core each for most of their time, and pip waits for its downloads while Rust
# compiles, so they run at the same time. The tests of Rust come first, because pip needs what they compile.
test: ## Check formatting, lints, types and stubs, and run the Rust and Python tests
	$(MAKE) --no-print-directory --jobs 2 test-rust lint
	$(BIN)/python -m pytest $(PYTEST)

test-rust: ## Check the formatting and lints of the Rust, and run its tests
	cargo fmt --all --check
	cargo test $(WORKSPACE) --quiet
	cargo clippy $(WORKSPACE) --all-targets -- -D warnings

# Rust compiles the module of the checker while pip and npm wait for their downloads.
test-long: ## Run what takes long: every step, every cut, more examples and more fuzzed inputs
	$(MAKE) --no-print-directory --jobs 2 $(VENV)/.tests-long build/urlset.wasm
	cargo test $(WORKSPACE) --quiet -- --ignored
	$(BIN)/python -m pytest $(PYTEST) -m 'long or hypothesis' --hypothesis-profile=thorough

lint: $(VENV)/.tests ## Format, lint and type-check the Python
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy python tests
	$(BIN)/mypy benches docs examples packaging vectors
	$(BIN)/python -m mypy.stubtest urlset._core --mypy-config-file pyproject.toml

# A sanitizer is an unstable option of rustc. RUSTC_BOOTSTRAP lets any toolchain take it, so that the one that is there
# does: a nightly would have to be installed, and is another one every day.
fuzz: ## Look for bugs with libFuzzer: FUZZ_SECONDS on each of FUZZ_TARGETS
	command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
	cargo run --package urlset-fuzz --locked --quiet --example seeds
	for target in $(FUZZ_TARGETS); do \
		CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 RUSTC_BOOTSTRAP=1 \
			cargo fuzz run --fuzz-dir fuzz --features libfuzzer $$target -- -dict=fuzz/sitemap.dict -max_len=16384 \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 || exit 1; \
	done

# Those that need hundreds of megabytes from npm, and minutes.
LARGE_GENERATORS := astro docusaurus next nuxt
SITES := tests/support/sources/generators
$(VENV)/.generators: $(VENV)/.tests-long $(wildcard $(LARGE_GENERATORS:%=$(SITES)/%/project/package-lock.json))
	for name in $(LARGE_GENERATORS); do \
		mkdir -p $(VENV)/generators/$$name && cp $(SITES)/$$name/project/package*.json $(VENV)/generators/$$name && \
		npm ci --prefix $(VENV)/generators/$$name --no-audit --no-fund --loglevel error || exit 1; \
	done
	@touch $@

generators: $(VENV)/.generators ## Build the sites of the large generators, and check the sources of their pages
	$(BIN)/python -m pytest tests/sources/test_generators.py -m generators

strangers: $(VENV)/.tests ## Read, lint and fix every file below DIR, and compare with lxml and expat
	$(BIN)/python tests/strangers.py "$(DIR)"

bench: $(VENV)/.released ## Measure against the peers, which get an environment of their own
	$(BIN)/python -m pip install --quiet --editable '.[test,bench]'
	$(BIN)/python benches/run.py

# The core for the checker in the browser. Where rustup cannot add the target, it compiles the standard library too.
build/urlset.wasm: $(shell find crates/urlset-core crates/urlset-texts crates/urlset-wasm -name '*.rs' -o -name '*.toml') Cargo.lock
	sh packaging/wasm.sh

wheel: $(BIN)/python ## Build the wheel for this machine, check it, and try it in an empty environment
	$(BIN)/python -m pip install --quiet --requirement packaging/requirements.txt
	$(BIN)/python packaging/wheels.py --sdist

wheels: $(BIN)/python ## Build the wheels for Linux (x86_64 and aarch64, glibc and musl) and try them, and one for Windows; needs Debian and root
	$(BIN)/python -m pip install --quiet --requirement packaging/requirements.txt
	apt-get install --yes --quiet --no-install-recommends qemu-user-static gcc-mingw-w64-x86-64
	$(BIN)/python packaging/wheels.py --sdist --elsewhere $(foreach target,$(WHEELS),--target $(target))

neon: $(BIN)/python ## Test the core and the vectors on aarch64, emulated, and count instructions; needs Debian and root
	$(BIN)/python -m pip install --quiet --requirement packaging/requirements.txt
	apt-get install --yes --quiet --no-install-recommends qemu-user qemu-user-static valgrind gcc libc6-dev
	$(BIN)/python packaging/neon.py
	$(BIN)/python benches/neon_counts.py

supply: $(BIN)/python ## Check licences, known vulnerabilities and workflows; needs the databases of advisories
	BIN=$(BIN) sh packaging/supply.sh

docs: $(VENV)/.docs build/urlset.wasm ## Write what is made from data: pages of docs/, the record of what is public, the site in site/
	$(BIN)/python docs/make/generate.py
	$(BIN)/python docs/make/record.py
	$(BIN)/python docs/make/build.py

clean: ## Remove what was built
	rm -rf $(VENV) .venv-peers target examples/out build dist site .cache

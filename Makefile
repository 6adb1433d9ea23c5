# Everything a person or a CI job runs here. Needs make and a Python of 3.11 or newer, nothing else.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS := 2
SECONDS := 60
PAIRS := 1000000

.PHONY: setup browser test lint types layers generated tests demo bench bench-scale bench-peer reference fuzz corpora generate format clean

setup: $(STAMP)
	@echo "hotato is installed in $(CURDIR)/$(VENV)"

# A name on the path is not enough: it may be a shim for a version that is absent, or a Python without venv.
$(STAMP): pyproject.toml
	@found=; \
	for name in python3.13 python3.12 python3.11 python3; do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    found=$$name; break; \
	  fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "hotato needs Python 3.11 or newer with the venv module, and none is on the PATH." >&2; exit 1; \
	fi; \
	if [ ! -x $(BIN)/python ]; then "$$found" -m venv $(VENV); fi
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

# The tests of the HTML report drive Chromium. Where it cannot be installed they say so and are skipped.
browser:
	@if command -v chromium chromium-browser google-chrome >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "installing Debian's chromium for the tests of the HTML report"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; } \
	    >/dev/null || echo "chromium could not be installed: the tests in tests/browser are skipped" >&2; \
	else \
	  echo "chromium is missing: the tests in tests/browser are skipped (apt-get install chromium)" >&2; \
	fi

test: lint types layers generated tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy src tools

layers: setup
	$(BIN)/lint-imports

generated: setup
	$(BIN)/python tools/generate.py --check

tests: setup browser
	$(BIN)/pytest -n $(JOBS)

demo: setup
	$(BIN)/hotato demo

bench: setup
	$(BIN)/python benchmarks/run.py

# make bench-scale PROFILE=--profile also shows where the time goes.
bench-scale: setup
	$(BIN)/python benchmarks/scale.py $(PROFILE)

# Installs another implementation of assert.v1 from PyPI into an environment of its own and compares with it.
# make bench-peer FOLDER=DIR keeps that environment there for the next time.
bench-peer: setup
	@$(BIN)/python benchmarks/scale.py --peer $(FOLDER)

# make fuzz SECONDS=10 takes ten seconds for each format; PAIRS=10000 tries fewer regexes.
fuzz: setup
	$(BIN)/python tools/fuzz.py $(SECONDS) --jobs $(JOBS)
	$(BIN)/python tools/fuzz_regex.py $(PAIRS)
	$(BIN)/python tools/fuzz_audio.py $(SECONDS)

corpora: setup
	$(BIN)/python examples/corpora/judge.py

# 375 simulated calls; with ARGS=--no-audio they are not spoken. Exits 0 where the four seeded defects and nothing else fail.
reference: setup
	@$(BIN)/python examples/reference-agent/run.py --jobs $(JOBS) $(ARGS)

generate: setup
	$(BIN)/python tools/generate.py

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

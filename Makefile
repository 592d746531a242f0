# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BENCH_INSTALLED := $(VENV)/.bench-installed
NEEDS := detent needs Python 3.11 or newer. Name one: make $(MAKECMDGOALS)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test slow bench reference clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED)  ## simulate a disk that slides and rolls: events here, a plot in demo.png
	@$(BIN)/detent run disk-on-ramp --plot demo.png

test: $(INSTALLED)  ## style, types, layers and all quick tests; stops at the first that fails
	@echo "ruff check" && $(BIN)/ruff check --quiet
	@echo "ruff format --check" && $(BIN)/ruff format --check --quiet || \
		{ echo "the files above are not formatted; run: $(BIN)/ruff format"; exit 1; }
	@echo "mypy" && $(BIN)/mypy
	@echo "lint-imports" && $(BIN)/lint-imports --no-logo
	@echo "pytest" && $(BIN)/pytest -n 2 --no-header

slow: $(INSTALLED)  ## the tests marked slow
	@$(BIN)/pytest -n 2 --no-header -m slow

bench: $(BENCH_INSTALLED)  ## speed as ratios to other engines, which it installs
	@$(BIN)/detent bench

reference: $(INSTALLED)  ## write docs/reference.md from the docstrings
	@$(BIN)/python -m tools.reference

clean:  ## remove .venv and everything made here
	rm -rf $(VENV) build dist demo.png .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	@command -v $(PYTHON) > /dev/null || \
		{ echo "$(PYTHON) was not found; $(NEEDS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is `$(PYTHON) -V 2>&1`; $(NEEDS) PYTHON=python3.11"; exit 1; }
	@echo "setting up $(VENV) (once, a few minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --editable ".[dev]"
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	@echo "installing the engines to compare with (once)"
	@$(PIP_INSTALL) --editable ".[dev,bench]"
	@touch $@

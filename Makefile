# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BENCH_INSTALLED := $(VENV)/.bench-installed
PYTHONS ?= python3.11 python3.12 python3.13
BROWSERS := chromium chromium-browser google-chrome
NEEDS := detent needs Python 3.11 or newer. Name one: make $(MAKECMDGOALS)
COMPILE_KERNELS := from detent.kernels import LIBRARIES; from detent.jit.kernel_library import make_ready; make_ready(LIBRARIES)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test browser test-all-pythons slow bench reference figures clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED)  ## simulate a disk that slides and rolls: events here, a plot in demo.png
	@$(BIN)/detent run disk-on-ramp --plot demo.png

test: $(INSTALLED) browser  ## style, types, layers and all quick tests; stops at the first that fails
	@echo "ruff check" && $(BIN)/ruff check --quiet
	@echo "ruff format --check" && $(BIN)/ruff format --check --quiet || \
		{ echo "the files above are not formatted; run: $(BIN)/ruff format"; exit 1; }
	@echo "lint-imports" && $(BIN)/lint-imports --no-logo
	@echo "mypy, and kernels compiled beside it"
	@$(BIN)/python -c '$(COMPILE_KERNELS)' & kernels=$$!; \
		$(BIN)/mypy || { kill $$kernels; exit 1; }; \
		wait $$kernels
	@echo "pytest" && $(BIN)/pytest -n 2 --dist worksteal --no-header

# Not a Python package: it comes from Debian, where we may install it.
browser:  ## Chromium for tests/browser, where it is missing and this machine lets us install it
	@for name in $(BROWSERS); do if command -v $$name > /dev/null; then exit 0; fi; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "installing chromium for the tests in a browser (once)"; \
		apt-get update -qq > /dev/null 2>&1; \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium > /dev/null 2>&1 || \
			echo "NO BROWSER: chromium could not be installed; the tests in tests/browser are left out"; \
	else \
		echo "NO BROWSER: found none of $(BROWSERS); the tests in tests/browser are left out; install one"; \
	fi

test-all-pythons:  ## make test with each of PYTHONS that this machine has, in .venv-3.11 and so on
	@tested=; missing=; \
	for python in $(PYTHONS); do \
		if $$python -c '' 2> /dev/null; then \
			echo "== $$python"; \
			$(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$${python#python} || exit 1; \
			tested="$$tested $$python"; \
		else \
			echo "== $$python was not found on the path, and is left out"; \
			missing="$$missing $$python"; \
		fi; \
	done; \
	echo "passed:$${tested:- none}; not found:$${missing:- none}"; \
	test -n "$$tested"

slow: $(INSTALLED)  ## the tests marked slow
	@$(BIN)/pytest -n 2 --no-header -m slow

bench: $(BENCH_INSTALLED)  ## speed as ratios to other engines, which it installs
	@$(BIN)/detent bench

reference: $(INSTALLED)  ## write docs/reference.md from the docstrings
	@$(BIN)/python -m tools.reference

figures: $(INSTALLED)  ## draw the pictures of docs/comparing.md
	@$(BIN)/python -m tools.comparison_figures

clean:  ## remove .venv, its siblings and everything made here
	rm -rf $(VENV) .venv-3.* build dist demo.png .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +

# Packages are compiled here and not by pip, which uses one processor; what is not for this Python is passed over.
$(INSTALLED): pyproject.toml
	@command -v $(PYTHON) > /dev/null || \
		{ echo "$(PYTHON) was not found; $(NEEDS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is `$(PYTHON) -V 2>&1`; $(NEEDS) PYTHON=python3.11"; exit 1; }
	@echo "setting up $(VENV) (once, a few minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --no-compile --editable ".[dev]"
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib src || true
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED)
	@echo "installing the engines to compare with (once)"
	@$(PIP_INSTALL) --editable ".[dev,bench]"
	@touch $@

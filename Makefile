# Every target does its own set-up: a machine with Python >= 3.11 (with pip and venv) is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
READY_DEMO := $(VENV)/.ready-demo
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
SITE   := .venv-docs
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || { echo "actor-observer needs Python >= 3.11; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }

.PHONY: help setup demo test package test-web lint format types check-deps bench docs clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 18

setup: $(READY)  ## make .venv with everything, and fetch the ImageNet weights

$(READY): pyproject.toml scripts/fetch_weights.py
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[dev,sim]'
	$(BIN)/python scripts/fetch_weights.py
	@touch $(READY_DEMO) $@

# What the demo needs, into the same .venv; `make test` adds the rest. What is never imported need not be compiled.
$(READY_DEMO): pyproject.toml scripts/fetch_weights.py
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --no-compile -e .
	$(BIN)/python scripts/fetch_weights.py
	@touch $@

demo: $(READY_DEMO)  ## put two cameras in step, learn from real pairs: pictures, a table, a page
	@$(BIN)/python scripts/run_demo.py --out runs/demo

# One torch thread per test worker: the speed comes from the workers.
test: lint types check-deps package  ## everything a commit must pass
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -q --durations=8

test-web: $(READY)  ## the studio in a real browser; needs a Chromium, and gets one with apt where it may
	@[ -n "$$CHROMIUM$$(command -v chromium; command -v chromium-browser; command -v google-chrome)" ] \
	  || { command -v apt-get >/dev/null && $$(command -v sudo) apt-get install -y --no-install-recommends chromium; } \
	  || { echo "no Chromium found, and none could be installed: name one in CHROMIUM"; exit 2; }
	STUDIO_NEEDS_BROWSER=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -q tests/web

lint: $(READY)  ## ruff: style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

package: $(READY)  ## build the wheel and the sdist into dist/, and use the wheel in an empty environment
	OMP_NUM_THREADS=1 $(BIN)/python scripts/check_package.py

check-deps: $(READY)  ## the installed packages agree with each other
	$(BIN)/python -m pip check

format: $(READY)  ## let ruff fix style and formatting
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## the quick measurements behind docs/performance.md; lists those it leaves out
	$(INSTALL) -e '.[bench]'
	$(BIN)/python bench/performance.py

# The site needs none of our own packages (docstrings are read, not imported), so it has a small .venv of its own.
# Not --quiet: that hides the warnings that --strict counts.
docs: $(SITE)/.ready  ## the documentation as a site, build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict
	@echo "build/site/index.html is ready; to search in it: $(PYTHON) -m http.server -d build/site"

$(SITE)/.ready: pyproject.toml
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv $(SITE)
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])' \
	  | xargs $(SITE)/bin/python -m pip install --quiet --disable-pip-version-check
	@touch $@

clean:  ## remove what make made: environments, runs, the site
	rm -rf $(VENV) $(SITE) runs build dist src/*.egg-info

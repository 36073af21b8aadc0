# Everything a newcomer types. Each target sets up what it needs: Python 3.11+, Node 20+ and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
BENCH := .build/bench
UV := $(VENV)/bin/uv
COMPILE := $(UV) pip compile --quiet --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml
ARCHITECTURE = $(shell $(RUN) -c 'import json; print(json.load(open("cdk.json"))["context"]["aws"]["architecture"])')
CODE := app.py functions infra scripts shared tests
# A fresh copy of a wheel may lie on another file system than the cache.
export UV_LINK_MODE ?= copy

.PHONY: help demo demo-again test lint synth build model pgbouncer up down bench openapi lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

demo: $(VENV)/ready node_modules/ready model ## Watch agents learn from each other, on this machine
	@$(RUN) -m scripts.demo

demo-again: $(VENV)/ready node_modules/ready model ## The next day: a new agent works from what was learnt
	@$(RUN) -m scripts.demo --again

test: $(VENV)/ready node_modules/ready model pgbouncer lint ## Lint, type-check and test everything
	@$(RUN) -m pytest --numprocesses 2 --dist loadgroup

lint: $(VENV)/ready ## Check style and types
	@$(VENV)/bin/ruff check $(CODE)
	@$(VENV)/bin/ruff format --check $(CODE)
	@$(VENV)/bin/mypy

synth: build node_modules/ready ## Write the CloudFormation for AWS to cdk.out/
	@node_modules/.bin/cdk synth --quiet && echo "cdk.out/ holds the templates."

build: $(VENV)/ready ## Build the Lambda layers and functions into .build/
	@$(RUN) -m scripts.build all --target lambda --arch $(ARCHITECTURE)

model: $(VENV)/ready ## Fetch the embedding model into .build/model
	@$(RUN) -m scripts.build model

# Without it the tests that need it say so, and the others run.
pgbouncer: $(VENV)/ready ## Fetch PgBouncer for the tests, where it is missing
	-@$(RUN) -m scripts.build pgbouncer

up: $(VENV)/ready node_modules/ready model ## Start the local AWS with Tributary in it
	@$(RUN) -m scripts.local up

down: ## Stop it
	@$(RUN) -m scripts.local down

bench: $(VENV)/ready $(BENCH)/ready model ## Compare with other memories (DATA=file of LoCoMo, ARGS=--quick)
	@PYTHONPATH=.:shared $(BENCH)/bin/python -W ignore -m scripts.bench $(if $(DATA),--data $(DATA)) $(ARGS)

openapi: $(VENV)/ready ## Write docs/openapi.json
	@$(RUN) -m scripts.openapi

lock: $(VENV)/ready ## Lock the dependencies anew
	@$(COMPILE) --universal --python-version 3.11 --extra runtime --extra embedding --extra cli \
	  --extra local --extra infra --extra dev --output-file requirements/dev.txt
	@$(COMPILE) --universal --python-version 3.11 --extra embedding --extra local --extra bench \
	  --output-file requirements/bench.txt
	@$(RUN) -m scripts.build lock --upgrade

clean: ## Remove everything that was made here, and its data
	@if [ -f .local/stack.json ] && [ -x $(RUN) ]; then $(RUN) -m scripts.local down; fi
	@rm -rf $(VENV) .build .local cdk.out node_modules build
	@find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/ready: requirements/dev.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing: install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$$($(PYTHON) --version) is too old: install Python 3.11 or newer, or set PYTHON=."; exit 1; }
	@echo "Installing the Python packages into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/uv.txt
	@$(UV) pip sync --quiet --require-hashes requirements/dev.txt requirements/uv.txt
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(BENCH)/ready: requirements/bench.txt $(VENV)/ready
	@echo "Installing the systems to compare with into $(BENCH) ..."
	@$(UV) venv --quiet --clear --python $(RUN) $(BENCH)
	@$(UV) pip sync --quiet --require-hashes --python $(BENCH)/bin/python requirements/bench.txt
	@touch $@

node_modules/ready: package-lock.json
	@command -v node >/dev/null || { echo "Node is missing: install Node 20 or newer."; exit 1; }
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || \
	  { echo "Node $$(node --version) is too old: install Node 20 or newer."; exit 1; }
	@echo "Installing the AWS CDK command line ..."
	@npm ci --silent --no-fund --no-audit
	@touch $@

# Everything happens in .venv; a bare machine needs make, and Python 3.11 or later with its venv module.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
CODE := src tests $(wildcard bench docs examples scripts)

# uv is pinned and lives beside the environment that it fills, so that the two cannot disturb each other.
UV_VERSION := 0.13.9
UV := .venv/.tool/bin/uv
UV_STAMP := .venv/.tool/uv-$(UV_VERSION)
STAMP := .venv/.setup-done

export UV_SYSTEM_CERTS := 1
export UV_HTTP_RETRIES := 5
export UV_HTTP_TIMEOUT := 120

# For `make sbom`, in an environment of their own.
SBOM_TOOLS := cyclonedx-bom==7.5.0 pip-licenses==5.5.5
COMMA := ,
SPACE := $(subst ,, )

# What the development lock holds; ray and spark are too heavy for it.
EXTRAS := batch eval haystack langchain llama-index llm llm-anthropic llm-bedrock llm-gemini mcp offline opensearch otel postgres serve
LOCK := $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.PHONY: help setup demo test check bench soak heads docs lock sbom upgrade clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

$(UV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dragoman needs Python 3.11 or later; say PYTHON=python3.12 or the like")'
	@$(PYTHON) -m venv .venv/.tool
	@$(UV:uv=pip) install -q --disable-pip-version-check --retries 5 uv==$(UV_VERSION)
	@touch $@

$(STAMP): pyproject.toml requirements/dev.lock $(UV_STAMP)
	@test -x $(BIN)/python || $(UV) venv -q --allow-existing -p $(PYTHON) .venv
	@$(UV) pip sync -q -p $(BIN)/python --require-hashes requirements/dev.lock
	@$(UV) pip install -q -p $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

setup: $(STAMP) ## the environment in .venv; quick when nothing changed

demo: setup ## a dozen questions in three languages, with and without enrichment
	@$(BIN)/dragoman demo

check: setup ## format, lint, types, who may import whom
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-logo

test: check ## check, then the tests; says what was skipped and why
	$(BIN)/python -m pytest -n 2 -rs

bench: setup ## the benchmark of this machine
	@$(BIN)/dragoman bench

soak: setup ## the long tests and figures
	$(BIN)/python -m pytest --slow -m slow

heads: setup ## the heads of the understanding without a model, and their card, from training/
	$(BIN)/python scripts/train_heads.py
	$(BIN)/python scripts/offline_card.py

ENGINES := .venv/.engines/bin/python

.PHONY: engines
engines: setup ## the tests of batches on Ray, Spark and S3, in an environment of their own
	@test -x $(ENGINES) || $(UV) venv -q -p $(PYTHON) .venv/.engines
	@$(UV) pip sync -q -p $(ENGINES) --require-hashes requirements/engines.lock
	@$(UV) pip install -q -p $(ENGINES) --no-deps --no-build-isolation -e .
	$(ENGINES) -m pytest -rs tests/test_storage.py
	$(ENGINES) -m pytest -rs tests/batch/test_engines.py -k ray
	$(ENGINES) -m pytest -rs tests/batch/test_engines.py -k spark

docs: $(UV_STAMP) ## the documentation as a site in site/
	@test -f mkdocs.yml || { echo "docs: there is no mkdocs.yml" >&2; exit 2; }
	@test -x .venv/.docs/bin/python || $(UV) venv -q -p $(PYTHON) .venv/.docs
	@$(UV) pip sync -q -p .venv/.docs/bin/python --require-hashes requirements/docs.lock
	@.venv/.docs/bin/mkdocs build --quiet --strict

sbom: $(UV_STAMP) ## what it stands on, in build/: dependencies as CycloneDX, and a list of their licences
	@test -x .venv/.sbom/bin/cyclonedx-py || $(UV) venv -q --allow-existing -p $(PYTHON) .venv/.sbom
	@$(UV) pip install -q -p .venv/.sbom/bin/python $(SBOM_TOOLS)
	@$(UV) venv -q --clear -p $(PYTHON) .venv/.shipped
	@$(UV) pip install -q -p .venv/.shipped/bin/python -c requirements/dev.lock ".[$(subst $(SPACE),$(COMMA),$(EXTRAS))]"
	@mkdir -p build
	@.venv/.sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible \
		-o build/sbom.cdx.json .venv/.shipped/bin/python
	@.venv/.sbom/bin/pip-licenses --python=.venv/.shipped/bin/python --format=markdown --order=license --with-urls \
		--output-file=build/licences.md > /dev/null
	@echo build/sbom.cdx.json build/licences.md

lock: $(UV_STAMP) ## write the locks anew from pyproject.toml, keeping what still fits
	@$(LOCK) pyproject.toml $(EXTRAS:%=--extra %) --group dev -o requirements/dev.lock
	@$(LOCK) pyproject.toml --extra ray --extra spark --extra s3 --group dev --group engines -o requirements/engines.lock
	@$(LOCK) --group docs -o requirements/docs.lock

upgrade: LOCK += -U
upgrade: lock ## write the locks anew with the newest versions

clean: ## away with everything that can be made again
	rm -rf .venv build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

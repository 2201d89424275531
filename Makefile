# `make test` and `make demo` set up .venv themselves, when it is missing or older than what it is made from.
#
# PYTHON=python3.12 make test        another interpreter
# TORCH_INDEX_URL=… make test        where to take torch from, such as an index of CPU builds

.DEFAULT_GOAL := help
.PHONY: help demo test lint format proof catalogue schemas transcripts docs

PYTHON ?= $(shell for p in python3.11 python3; do $$p -c '' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready

help:  ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

# torch first and by name: its default build for Linux brings several gigabytes of CUDA.
$(READY): pyproject.toml constraints.txt hatch_build.py
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check $(if $(TORCH_INDEX_URL),--index-url "$(TORCH_INDEX_URL)") "$$(grep '^torch==' constraints.txt)"
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(READY)  ## grade a mistaken and a correct submission, and say where the HTML report lies
	@BIN="$(CURDIR)/$(BIN)" bash tests/demo/run.sh

test: lint  ## format, lint, types, and all tests but the slow ones
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

lint: $(READY)  ## ruff and mypy
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy --strict grader

format: $(READY)  ## ruff's format and its safe fixes
	$(BIN)/ruff format -q .
	$(BIN)/ruff check -q --fix .

proof: $(READY)  ## every exercise and quiz proves itself, and the slow tests
	$(BIN)/grader author verify --all
	$(BIN)/python -m pytest -q -m slow

catalogue: $(READY)  ## bring the catalogue of each language in step with the sources
	$(BIN)/python -m grader.locale.catalogue

schemas: $(READY)  ## bring schemas/ and the word lists in step with the models
	$(BIN)/grader author schema --out schemas
	$(BIN)/grader author words --update exercises/README.md --update quizzes/README.md
	$(BIN)/grader author mistakes --out docs/mistakes.md

transcripts: $(READY)  ## rewrite the outputs in README.md and tests/feedback/; the difference is the review
	$(BIN)/python -m pytest -q tests/test_readme.py --update-transcripts

docs: $(READY)  ## build the documentation into build/site; a warning is an error
	$(BIN)/python docs/make/layout.py
	$(BIN)/python -m mkdocs build --strict

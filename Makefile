# `make help` lists what can be made. Works with GNU make 3.81 and later, on Debian and macOS.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
BOOK := .venv/.book
LOCKED := .venv/.ready
ML ?=
PEERS ?=
ALL ?=
# With ML=1 also JAX, which nets are trained with; nothing else needs it. With PEERS=1 also nbgrader
# and Otter, in an environment of their own, which assignments are released for.
READY := $(LOCKED) $(if $(ML),.venv/.ml) $(if $(PEERS),.peers/.ready)
# uv is quicker than pip but doesn't read pip.conf: where it finds nothing, pip has its turn.
UV := $(BIN)/uv pip install --python $(BIN)/python
PIP := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
# Install a part of the lock, and show that something happens.
installed = set -o pipefail; { $(UV) --require-hashes -r $(1) 2>&1 || $(PIP) -r $(1); } \
	  | awk '/^Collecting/ {n++; if (n % 20 == 0) {print "  " n " packages found"; fflush()}} \
	         /^(Prepared|Installed|Installing collected) / {print "  " $$1, $$2, $$3; fflush()}'
# Many short processes start here: let Python keep what it compiles, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
SUBMISSIONS ?= submissions

.DEFAULT_GOAL := help
.PHONY: help book pdf zip serve lab quick test findings lint release grade bench wheel lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' Makefile

# What the book needs: its notebooks are stored with their outputs, so that nothing is compiled here.
$(BOOK): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "This needs Python 3.11 or later; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "Python's venv module is missing. On Debian: sudo apt install python3-venv"; exit 1; }
	@$(PYTHON) src/perfcourse/book/pins.py course book uv hatchling editables > .venv/book.txt
	@echo "setting up .venv: $$(grep -c '==' .venv/book.txt) packages, a minute or two the first time"
	@$(PIP) --quiet -r <(awk '/^[^ ]/ {wanted = /^uv==/} wanted' requirements.txt)
	@$(call installed,.venv/book.txt)
	@$(UV) --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# What tests, grading and printing need beyond it; and compiled now, as it is used in many processes:
# the simulators' loops, and what the grader's sandbox imports, which cannot keep it.
$(LOCKED): $(BOOK)
	@echo "adding to .venv what tests and the grader need, a minute or two the first time"
	@$(call installed,requirements.txt)
	@$(BIN)/python -c 'from perfcourse.isolation import sandbox; from perfcourse.kernel import zygote; zygote.preload(sandbox.PRELOAD)' & \
	  $(BIN)/python -m perfmodel.queueing.simulation && wait
	@touch $@

.venv/.ml: requirements-ml.txt $(LOCKED)
	@$(UV) --quiet --no-deps --require-hashes -r $< || $(PIP) --quiet --no-deps -r $<
	@touch $@

.peers/.ready: requirements-peers.txt $(LOCKED)
	@echo "setting up .peers: nbgrader and Otter, a minute the first time"
	@$(BIN)/python -m venv .peers
	@$(BIN)/uv pip install --python .peers/bin/python --quiet --require-hashes -r $< || \
	  .peers/bin/python -m pip install --disable-pip-version-check --quiet -r $<
	@$(BIN)/uv pip install --python .peers/bin/python --quiet --no-deps --no-build-isolation --editable .
	@touch $@

book: $(BOOK) ## build the book into _build/html
	@$(BIN)/python -m perfcourse.book build

pdf: $(READY) book ## print the book to one PDF in _build/pdf
	@$(BIN)/python -m perfcourse.book pdf

zip: book ## pack the built book into _build/performance-models.zip
	@$(BIN)/python -m perfcourse.book zip

serve: book ## build the book and serve it on localhost
	@$(BIN)/python -m perfcourse.book serve

lab: $(BOOK) ## open JupyterLab on the map of the course
	@$(BIN)/python -m perfcourse.book lab

quick: $(LOCKED) ## test what you changed: style, types, the nearest tests and notebooks; 90 s
	@$(BIN)/python tests/quick.py

lint: $(READY) ## check style and types
	@$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy

test: $(READY) ## run the tests, and say at the end what failed where; ALL=1 samples nothing
	@$(BIN)/python tests/run.py $(if $(ALL),--all)

findings: ## see whether other tools still behave as findings/ says; needs a network
	@for script in findings/*.sh; do echo "== $$script"; bash $$script || failed="$$failed $$script"; done; \
	  test -z "$$failed" || { echo "no longer so:$$failed"; exit 1; }

release: $(READY) ## make the student notebooks in exercises/ from solutions/
	@$(BIN)/perfcourse release --all

grade: $(READY) ## grade the folder SUBMISSIONS=...
	@$(BIN)/perfcourse grade $(SUBMISSIONS)

bench: $(READY) ## measure speed, side by side with peers
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

wheel: $(LOCKED) ## build what pip installs, and the course's folder, into _build/dist
	@rm -rf _build/dist
	@$(BIN)/python -m hatchling build --directory _build/dist

lock: $(LOCKED) ## refresh requirements*.txt from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --extra course --extra book --extra cluster --extra pdf --extra test --universal \
	  --python-version 3.11 --generate-hashes --upgrade --quiet --custom-compile-command "make lock" \
	  --output-file requirements.txt
	@# What the extra ml needs beyond those, in the versions that go with them.
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["ml"], sep="\n")' | \
	  $(BIN)/uv pip compile - --constraints requirements.txt --universal --python-version 3.11 --generate-hashes \
	  --upgrade --quiet --no-emit-package numpy --no-emit-package scipy --no-annotate \
	  --custom-compile-command "make lock" --output-file requirements-ml.txt
	@# What nbgrader and Otter need, and this package with them: the same versions where they agree.
	@cp requirements.txt requirements-peers.txt
	@$(BIN)/uv pip compile pyproject.toml --extra peers --universal --python-version 3.11 --generate-hashes \
	  --quiet --no-annotate --custom-compile-command "make lock" --output-file requirements-peers.txt

clean: ## delete what was built, but not .venv
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# What a newcomer types: `make demo` to see trainlint at work, `make test` to run every test.
# Everything happens in .venv, which `make clean` takes away again.

PYTHON ?= python3
# The tests run real training steps on the CPU. On Linux the default wheel brings the CUDA libraries along;
# any build of this version will do, so point TORCH at a CPU build where you have one.
TORCH ?= torch==2.13.0
# Groups of packages for development: `make test EXTRAS=dev,frameworks` tries the probe on real frameworks, too.
EXTRAS ?= dev
# Extra words for pytest, as in `make test PYTEST="-k suppress"`.
PYTEST ?= -n auto

VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test nightly check format docs probe-gpu clean

help:  ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

demo: $(VENV)/.installed  ## Run trainlint on the examples and show what it would rewrite
	@printf '\n== trainlint check examples/ ==\n\n'
	@$(BIN)/trainlint check examples/ --isolated --exit-zero
	@printf '\n== trainlint check examples/ --diff   (what `--fix` would rewrite; nothing is written) ==\n\n'
	@$(BIN)/trainlint check examples/ --isolated --exit-zero --diff
	@printf '\nThe demo succeeded. The findings above are planted: examples/README.md names each of them.\n'
	@printf 'Only `--exit-zero` made both runs exit with 0; without it, findings make trainlint exit with 1.\n'

test: $(VENV)/.developed  ## Run every test
	$(BIN)/python -m pytest $(PYTEST)

nightly: $(VENV)/.developed  ## Run what takes hours: large corpora, fuzzing, every property over every case
	$(BIN)/python -m pytest $(PYTEST) -m nightly

check: $(VENV)/.developed  ## Types, lint, import contracts, generated pages, wheel, and trainlint on itself
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/transcripts.py --check
	$(BIN)/python docs/probe_schema.py --check
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel .
	$(BIN)/check-wheel-contents build/wheel
	$(BIN)/trainlint check trainlint rules runtime_probe docs

format: $(VENV)/.developed  ## Lay out the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.developed  ## Write the generated pages anew
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/transcripts.py
	$(BIN)/python docs/probe_schema.py

probe-gpu: $(VENV)/.developed  ## On a GPU: does what the probe predicts come true? Writes the table of docs/probe.md
	$(BIN)/python -m benchmarks.probe_gpu --page docs/probe.md

clean:  ## Remove the environment, builds and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.*

# Stamp files, so that a second run starts at once. An editable install sees every later edit of the code;
# only a change of pyproject.toml asks for a new one.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("trainlint needs Python 3.10 or newer, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=/path/to/a/newer/python")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# torch comes first: whatever is installed after it finds the build that was chosen and asks for no other.
$(VENV)/.torch: $(VENV)/.created
	$(BIN)/python -m pip install --quiet $(TORCH)
	@touch $@

$(VENV)/.developed: $(VENV)/.torch pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.installed

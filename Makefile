# What a newcomer types: `make demo` to see trainlint at work, `make test` to test it.
# Everything happens in .venv, which `make clean` takes away again.

PYTHON ?= python3
# The tests run real training steps on the CPU. On Linux the default wheel brings the CUDA libraries along;
# any build of this version will do, so point TORCH at a CPU build where you have one.
TORCH ?= torch==2.13.0
# Groups of packages for development: `make test-slow EXTRAS=dev,frameworks` tries the probe on real frameworks, too.
EXTRAS ?= dev
# Extra words for pytest, as in `make test PYTEST="-k suppress"`. A `-m` among them replaces that of the target.
PYTEST ?= -n auto --dist worksteal

# The tests start trainlint some thousand times. Without bytecode each start compiles all of it anew.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
comma := ,
# One stamp for each choice of EXTRAS, so that asking for more installs more.
DEVELOPED := $(VENV)/.developed-$(subst $(comma),-,$(EXTRAS))

.DEFAULT_GOAL := help
.PHONY: help demo demo-live test test-slow test-all test-alone nightly check format docs site probe-gpu probe-gpu-toys clean

help:  ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 19

demo: $(VENV)/.installed  ## Run trainlint on the examples and show what it would rewrite
	@printf '\n== trainlint check examples/ ==\n\n'
	@$(BIN)/trainlint check examples/ --exit-zero
	@printf '\n== trainlint check examples/ --diff   (what `--fix` would rewrite; nothing is written) ==\n\n'
	@$(BIN)/trainlint check examples/ --exit-zero --diff
	@printf '\n== a training step on a simulated GPU, recorded (`make demo-live` runs it here) ==\n\n'
	@cat examples/simulated.txt
	@printf '\nThe demo succeeded. The findings above are planted: examples/README.md names each of them.\n'
	@printf 'Only `--exit-zero` made both runs exit with 0; without it, findings make trainlint exit with 1.\n'

demo-live: $(VENV)/.torch $(VENV)/.installed  ## Run the example on a simulated GPU, by PyTorch on your CPU
	cd examples && ../$(BIN)/trainlint probe --device simulated:h100 --no-overlay train.py --steps 25 --batch 4 --context 16 || [ $$? -eq 1 ]

test: $(DEVELOPED)  ## Run the tests, but for those that take long
	$(BIN)/python -m pytest -m "not slow and not nightly" $(PYTEST)

test-slow: $(DEVELOPED)  ## Run the tests that `make test` leaves out: real trainings, pre-commit, whole benchmarks
	$(BIN)/python -m pytest -m "slow and not nightly" $(PYTEST)

test-all: test test-slow  ## Run both, as CI does

test-alone: $(DEVELOPED)  ## Run each test file in a process of its own, to show that none needs another
	$(BIN)/python -m tests.each_file_alone

nightly: $(DEVELOPED)  ## Run what takes hours: large corpora, fuzzing, every property over every case
	$(BIN)/python -m pytest -m nightly $(PYTEST)

check: $(DEVELOPED)  ## Types, lint, import contracts, generated pages, wheel, and trainlint on itself
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/transcripts.py --check
	$(BIN)/python docs/probe_schema.py --check
	$(BIN)/python -m benchmarks.accuracy.rounds page --check
	$(BIN)/python -m benchmarks.truth.page --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	rm -rf build/wheel
	$(BIN)/python -m build --no-isolation --outdir build/wheel .
	$(BIN)/check-wheel-contents build/wheel
	$(BIN)/twine check --strict build/wheel/*
	$(BIN)/trainlint check trainlint rules runtime_probe docs

format: $(DEVELOPED)  ## Lay out the code and sort its imports
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

docs: $(DEVELOPED)  ## Write the generated pages anew
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/transcripts.py
	$(BIN)/python docs/probe_schema.py
	$(BIN)/python -m benchmarks.accuracy.rounds page
	$(BIN)/python -m benchmarks.truth.page

site: $(DEVELOPED)  ## Build the documentation as a site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open build/site/index.html, or run \`$(BIN)/mkdocs serve\` while you write."

probe-gpu: $(DEVELOPED)  ## On a GPU: does the simulated one say the same? Writes build/simulated
	$(BIN)/python -m benchmarks.simulated

truth: $(DEVELOPED)  ## Compare trainlint with what libraries do on a simulated GPU (takes long; installs the libraries)
	$(BIN)/python -m benchmarks.truth --publish benchmarks/truth/recorded/now.json
	$(BIN)/python -m benchmarks.truth.page

probe-gpu-toys: $(DEVELOPED)  ## On a GPU: does what the probe predicts come true? Writes the table of docs/probe.md
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

$(DEVELOPED): $(VENV)/.torch pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.installed

# Two commands: `make tour` runs the main job, `make test` passes every check. Targets make the virtual environment that they need.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: tour test test-all paradox check format docs bench bench-learn clean

tour: .venv/installed-local
	$(BIN)/sebench tour

# Bytecode is written even where the environment forbids it: every process would compile NumPy and torch again.
test: export PYTHONDONTWRITEBYTECODE =
# The test processes use all cores: threads of NumPy and torch would only wait for one another.
test: export OMP_NUM_THREADS = 1
test: .venv/installed-dev check
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=15

# Everything: also what takes minutes, and all of what `make test` takes samples of.
test-all: export SEBENCH_SLOW_TESTS = 1
test-all: test

paradox: .venv/installed-train
	$(BIN)/sebench experiment experiments/paradox.toml

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/installed-docs
	$(BIN)/python scripts/write_commands.py
	$(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

bench: .venv/installed
	$(BIN)/python benchmarks/forge.py
	$(BIN)/python benchmarks/build.py
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/credit.py
	$(BIN)/python benchmarks/rollout.py
	$(BIN)/python benchmarks/serve.py

bench-learn: .venv/installed-dev
	$(BIN)/python benchmarks/learn.py
	$(BIN)/python benchmarks/decode.py --shape 135m --lengths 200 --batches 8 --new 16

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis site

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v < (3, 11) and sys.exit(f"$(PYTHON) is Python {v[0]}.{v[1]}, but SE-Bench needs 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12, for example")'
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable .
	touch $@

.venv/installed-local: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[local]"
	touch $@

.venv/installed-train: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check "torch==2.13.0" --editable ".[train]"
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[dev]"
	touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[docs]"
	touch $@

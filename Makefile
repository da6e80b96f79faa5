# Every verb makes its own .venv first. PYTHON names the interpreter to start from.
PYTHON ?= python3
BIN = .venv/bin
KERNELS := $(shell find src -name '*.pxd')
.PHONY: demo test check fix slow supply bench reproduce docs kernels release-check

# The environment with the package as it is here, and nothing else.
.venv/package: pyproject.toml setup.py
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch .venv/package

# What the tests need besides.
.venv/installed: .venv/package
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch .venv/installed

# Kernels that have changed since, compiled again.
.venv/kernels: .venv/package $(KERNELS) $(KERNELS:.pxd=.py)
	$(BIN)/python -m pip install --quiet --editable .
	touch .venv/kernels

kernels: .venv/kernels

# Fit the Python documentation, print its topics and write its report.
demo: .venv/kernels
	$(BIN)/leantopics demo --output demo

# All tests that take minutes or less; set LEANTOPICS_DATA to run those on real corpora.
# They start hundreds of processes, for which modules are kept compiled. Files go to
# processors in the order of `testpaths`: many short ones are the last.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/installed .venv/kernels
	$(BIN)/python -m pytest -m "not slow" --numprocesses auto --dist loadfile \
	  --no-loadscope-reorder

# Style, types and the direction of imports.
check: .venv/installed .venv/kernels
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What can be put right by a machine.
fix: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The long tests: whole sweeps of real corpora, many kills, `supply`, and ten minutes of
# fuzzing a target if atheris is installed.
slow: .venv/installed .venv/kernels
	$(BIN)/python -m pytest -m slow
	$(BIN)/python fuzz/run.py all --seconds 600

# Those of the long tests that are about the package as others get it (asks the index).
supply: .venv/installed .venv/kernels
	$(BIN)/python -m pytest -m slow tests/supply

# Measure us and the peers (LEANTOPICS_DATA names the corpora) and write docs/benchmarks.md.
bench: .venv/installed .venv/kernels
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/run.py --out benchmarks/results/latest.json
	$(BIN)/python benchmarks/render.py

# The paper's study on its four corpora, hours, and docs/reproduction.md and docs/claims.md.
reproduce: .venv/installed .venv/kernels
	$(BIN)/python studies/run.py reuters labelme 20newsgroups ohsumed large
	$(BIN)/python studies/render.py

# The site, into site/: a warning is an error, and nothing is fetched.
docs: .venv/installed .venv/kernels
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The package as users get it: built, its metadata checked, and the quickstart followed with
# nothing but the wheel in an environment and folder of its own. docs/releasing.md goes on.
release-check: .venv/installed .venv/kernels
	$(BIN)/python -m pip install --quiet --editable ".[release]"
	rm -rf dist build/try
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv build/try/.venv
	build/try/.venv/bin/python -m pip install --quiet dist/*.whl
	cd build/try && .venv/bin/python ../../docs/make/follow.py ../../docs/quickstart.md

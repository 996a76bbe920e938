# The two commands of the README, and what a maintainer needs beside them.
.PHONY: demo test lint contract kills bench bench-soak bench-service golden lock openapi

PYTHON := .venv/bin/python

demo:
	@packaging/set-up demo
	@$(PYTHON) -m player demo

test:
	@packaging/set-up test
	@$(MAKE) --no-print-directory lint
	@$(PYTHON) -m pytest --numprocesses 3 --dist worksteal

lint:
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy

# Hold the running service against its API document for some minutes, with new data each time.
contract:
	@packaging/set-up test
	@$(PYTHON) -m tests.contract

# Kill the service at random moments, many more times than the tests do.
kills:
	@packaging/set-up test
	@MENU_TEST_KILLS=$${MENU_TEST_KILLS:-100} $(PYTHON) -m pytest -q --durations=0 tests/service/storage/test_crash.py

bench:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks

# Loop for hours of virtual time: make bench-soak HOURS=8
HOURS ?= 1
bench-soak:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.soak $(HOURS)

# Keep how the design kit's boards look now, once somebody has looked at what changed.
golden:
	@packaging/set-up test
	@MENU_TEST_KEEP_GOLDEN=1 $(PYTHON) -m pytest -q tests/player/display/views/test_golden.py

# Write the API document anew, after a change of the service's routes.
openapi:
	@$(PYTHON) -m service.cli.api_document

bench-service:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.service

# Resolve the dependencies anew, within the series that devices run.
lock:
	@uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --no-emit-index-url --no-emit-find-links --only-binary :all: --extra service --extra dev \
	  --constraint packaging/lock/debian13.txt pyproject.toml --output-file requirements.lock --quiet

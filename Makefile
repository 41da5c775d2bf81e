# Everything sets itself up from PyPI: a checkout needs Python >= 3.11, Node 20 (for `infra`) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20
export UV_PYTHON_DOWNLOADS := never
# Without bytecode every program that a test or the stack starts would compile all it imports anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup run demo test check unit bench synth layer lock openapi clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements/dev.txt requirements/bootstrap.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt
	touch $@

run: setup            ## the whole service on this machine, with a demo cluster unless OPENCOST_BASE_URL is set
	@exec $(BIN)/python -m local run

demo: setup           ## start, push three syncs, show their figures, stop
	@exec $(BIN)/python -m local demo

test: setup check unit

check: setup          ## style, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy layers/common/costintel functions infra local cli bench tests
	PYTHONPATH=.:layers/common:functions $(BIN)/lint-imports

unit: setup
	$(BIN)/python -m pytest -n 2 --dist loadgroup

bench: setup          ## speed, as ratios within one run
	PYTHONPATH=.:layers/common:functions $(BIN)/python -m bench

synth: setup          ## the CloudFormation template, offline
	$(BIN)/python -m infra.app

layer: setup          ## the layer as deployed: needs a python3.13 for its bytecode
	$(BIN)/python -m infra.bundling lambda

openapi: setup        ## write docs/openapi.json from the routes
	PYTHONPATH=layers/common:functions $(BIN)/python -m api.openapi docs/openapi.json

lock:                 ## pin every package with its hashes
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -q requirements/dev.in -o requirements/dev.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -q -c requirements/dev.txt layers/common/requirements.in -o layers/common/requirements.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -q -c requirements/dev.txt requirements/bootstrap.in -o requirements/bootstrap.txt

clean:
	rm -rf $(VENV) build cdk.out .run .pytest_cache .mypy_cache .ruff_cache .hypothesis

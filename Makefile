# Two commands do everything: `make demo` and `make test`. Each sets up its own virtual environment.
# `make check` is for the inner loop: linters, types, and all tests but those in the browser and the exhaustive ones.
PYTHON ?= python3
PIP = -m pip install --quiet --disable-pip-version-check

# A worker for each core, which gets whole files. One file alone: .venv-test/bin/python -m pytest tests/io/test_files.py
# Each worker computes on one core: threads of BLAS that wait for each other would take the time of the other workers.
PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 CAESURA_KERNEL=native \
	.venv-test/bin/python -m pytest --numprocesses logical --dist loadfile --no-loadscope-reorder
unexport PYTHONDONTWRITEBYTECODE  # every worker of every run would rewrite the assertions of all tests

.PHONY: demo test check lint run-quick run-all fuzz bench bench-segmenters bench-scale docs dist lowest clean

demo: .venv/ready
	mkdir -p build
	.venv/bin/caesura demo --report build/stargazers.html --annotate build/ferry.html --force

PROSE = $(wildcard *.md) $(shell find docs -name '*.md')
lint: .venv-test/ready
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/codespell $(wildcard *.md) docs src tests benchmarks release
	.venv-test/bin/proselint check --config .ci/proselint.json $(PROSE)
	.venv-test/bin/mypy

# mypy runs on one core beside the tests.
PARALLEL = +$(MAKE) --no-print-directory --jobs 2

check: .venv-test/ready
	$(PARALLEL) lint run-quick

test: .venv-test/ready
	sh tests/web/install_chromium.sh || echo 'no Chromium: the browser tests cannot run'
	sh tests/web/install_firefox.sh || echo 'no Firefox: the tests in it cannot run'
	sh tests/release/install_from_npm.sh || echo 'no Node or npm: the tests in Pyodide and of the workflows cannot run'
	sh tests/scale/install_java.sh || echo 'no Java: the tests of Spark cannot run'
	PYTHON=$(PYTHON) sh tests/scale/install_s3_server.sh || echo 'no S3 server: the tests of addresses on one cannot run'
	$(PARALLEL) lint run-all

run-quick:
	$(PYTEST) --hypothesis-profile quick -m 'not browser and not exhaustive'

run-all:
	$(PYTEST)

MINUTES ?= 5
SEED ?= 1000
fuzz: .venv-test/ready
	.venv-test/bin/python tests/fuzz/fuzz.py --seed $(SEED) --minutes $(MINUTES)
	mkdir -p build/fuzz
	! .venv-test/bin/python -c 'import atheris' 2>/dev/null || .venv-test/bin/python tests/fuzz/fuzz.py --atheris \
		-seed=$(SEED) -max_total_time=$$((60 * $(MINUTES))) -len_control=0 -artifact_prefix=build/fuzz/

docs: .venv-test/ready
	NO_MKDOCS_2_WARNING=1 .venv-test/bin/mkdocs build --strict

# What is published, into dist/: built twice, checked, installed without a compiler, tested.
dist: .venv-dist/ready
	.venv-dist/bin/python release/dist.py

# The lowest versions that pyproject.toml allows, on the lowest Python: tests that need no extras, and some of the extras.
UV_LOWEST = .venv-dist/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct
OF_EXTRAS = tests/io/test_writing.py tests/io/test_json_files.py tests/io/test_adjudication.py tests/results/test_tables.py \
	tests/stats/test_factors.py tests/values/test_changed_text.py tests/values/test_corpus.py tests/values/test_units.py
lowest: .venv-dist/ready
	.venv-dist/bin/uv venv --quiet --clear --python $(PYTHON) .venv-lowest
	$(UV_LOWEST) '.[formats,languages,chunks,report,stats]' 'pytest>=8' 'hypothesis>=6.100' 'pandas>=2.2' 'polars>=1.0'
	.venv-lowest/bin/python release/dist.py test
	.venv-lowest/bin/python -m pytest -q -m 'not exhaustive' --hypothesis-profile quick $(OF_EXTRAS)

bench: .venv-test/ready
	.venv-test/bin/python benchmarks/bench.py
	.venv-test/bin/python benchmarks/columns.py
	.venv-test/bin/python benchmarks/growth.py

bench-segmenters: .venv-test/ready
	.venv-test/bin/python benchmarks/segmenters.py

bench-scale: .venv-test/ready
	.venv-test/bin/python benchmarks/scale.py

COMPILED = pyproject.toml $(wildcard src/caesura/kernel/*.pyx)
SOURCES = pyproject.toml $(shell find src -name '*.py' -o -name '*.pyx')

.venv/ready: $(SOURCES)
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) .
	touch $@

.venv-test/ready: $(COMPILED)
	$(PYTHON) -m venv .venv-test
	rm -f src/caesura/kernel/*.so  # one built for this Python alone would be taken before a new one
	.venv-test/bin/python $(PIP) --editable '.[test,lint,docs,bench]'
	touch $@

.venv-dist/ready:
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python $(PIP) 'build>=1.2' 'twine>=6' 'uv>=0.8'
	touch $@

clean:
	rm -rf .venv .venv-test .venv-s3 .venv-dist .venv-lowest build dist src/*.egg-info src/caesura/kernel/*.c src/caesura/kernel/*.so

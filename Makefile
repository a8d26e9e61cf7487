# Plain POSIX make; needs Python 3.11 or newer with venv, and nothing else.
# Everything goes into .venv. A stamp file there says what is installed, so a second run installs nothing.

.POSIX:

PYTHON = python3
VENV = .venv
BIN = $(VENV)/bin
CONSTRAINTS = constraints.txt
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)
WORKERS = auto
NUMBER = 20000
FIRST = 0
NATIVE = src/howsure/native
KERNELS = hatch_build.py $(NATIVE)/compile.py $(wildcard $(NATIVE)/*.[ch])

.PHONY: all help demo test floors newest thorough slow fuzz sanitize check docs format bench native clean

all: help

help:
	@echo 'make demo    install howsure and its command line, print the example data, write report.html'
	@echo 'make test    install what the tests need, and run them'
	@echo 'make floors  run them with the oldest versions that pyproject.toml allows; PYTHON=python3.11 has wheels of all'
	@echo 'make newest  run them with the newest versions that it allows; PYTHON=... chooses the Python'
	@echo 'make thorough run what make test leaves out: brief simulations, longest lists of cases, Spark, a server, a browser'
	@echo 'make slow    run the long simulations of coverage too'
	@echo 'make fuzz    ask random questions and read changed files: NUMBER=20000 of each, from seed FIRST=0'
	@echo 'make sanitize run the kernels, compiled with checks of addresses, on their tests and on random inputs'
	@echo 'make check   lint, formatting, types, import contracts, docstrings, examples in the documents'
	@echo 'make docs    build the documentation site into docs/_build/html'
	@echo 'make format  format the code and mend what the linter can mend'
	@echo 'make bench   time the main paths'
	@echo 'make native  compile the kernels in place, for a checkout that is not installed'
	@echo 'make clean   remove .venv, caches and the site'

demo: $(VENV)/demo.stamp
	$(BIN)/howsure report examples/breast_cancer.csv --y-true label --y-pred logistic --y-score score_logistic --by tumour_size --html report.html

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

floors: $(VENV)/floors.txt
	$(MAKE) VENV=$(VENV)/floors CONSTRAINTS=$(VENV)/floors.txt test

newest:
	rm -rf $(VENV)/newest
	$(MAKE) VENV=$(VENV)/newest CONSTRAINTS=/dev/null test

thorough: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "thorough and not slow"

slow: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m slow

fuzz: $(VENV)/test.stamp
	$(BIN)/python tests/support/mutants.py $(NUMBER) --first $(FIRST)
	$(BIN)/python tests/support/fuzz.py $(NUMBER) --first $(FIRST)

sanitize: $(VENV)/test.stamp
	$(BIN)/python tests/support/sanitized.py 30000

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -p no:randomly -m types tests/typing
	$(BIN)/lint-imports
	$(BIN)/python docs/check_docstrings.py
	$(BIN)/python docs/check_prose.py
	$(BIN)/python -m pytest -p no:randomly README.md CONTRIBUTING.md docs examples/README.md

docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx --jobs auto --nitpicky --fail-on-warning --keep-going --quiet docs docs/_build/html

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -p no:randomly --benchmark-only benchmarks

native:
	$(PYTHON) $(NATIVE)/compile.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks docs/_build docs/api $(NATIVE)/kernels.so $(NATIVE)/kernels.dylib

$(VENV)/venv.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo 'howsure needs Python 3.11 or newer: make PYTHON=python3.11 ...' >&2; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The first pip with `--group`; a new environment may have an older one.
$(VENV)/pip.stamp: $(VENV)/venv.stamp
	$(PIP) 'pip>=25.1'
	@touch $@

$(VENV)/floors.txt: pyproject.toml
	@mkdir -p $(VENV)
	grep -o '"[A-Za-z][^">]*>=[0-9.]*' pyproject.toml | sed 's/"//; s/\[.*\]//; s/>=/==/' > $@

$(VENV)/demo.stamp: $(VENV)/venv.stamp pyproject.toml $(CONSTRAINTS) $(KERNELS)
	$(PIP) --editable '.[cli]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/pip.stamp pyproject.toml $(CONSTRAINTS) $(KERNELS)
	$(PIP) --editable '.[all,spark]' --group test
	@touch $@ $(VENV)/demo.stamp

$(VENV)/dev.stamp: $(VENV)/pip.stamp pyproject.toml $(CONSTRAINTS) $(KERNELS)
	$(PIP) --editable '.[all,spark]' --group dev
	@touch $@ $(VENV)/demo.stamp $(VENV)/test.stamp

$(VENV)/docs.stamp: $(VENV)/pip.stamp pyproject.toml $(CONSTRAINTS) $(KERNELS)
	$(PIP) --editable '.[cli,plots]' --group docs
	@touch $@ $(VENV)/demo.stamp

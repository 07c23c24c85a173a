# Everything a user or developer types. `make demo` and `make test` set up all they need by themselves.
PYTHON ?= python3
JOBS   ?= 2
MINUTES ?= 5
VENV   := .venv
BIN    := $(VENV)/bin
CMAKE   = $(BIN)/cmake
NATIVE  = $(wildcard core/*/*.h core/*/*.cpp core/*/*/*.h core/*/*/*.cpp tests/core/*.h tests/core/*.cpp tests/fuzz/core/*.h \
          tests/fuzz/core/*.cpp tests/processors/*.h tests/processors/*.cpp)
# The engine is built by `make build`, so the in-place install leaves CMake alone.
INSTALL = $(BIN)/python -m pip install -q --no-build-isolation -C wheel.cmake=false -C wheel.py-api=py3 \
          -C editable.mode=inplace
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.NOTPARALLEL: # two targets must not run ninja in one directory at the same time
.PHONY: help demo dev build dask formats test test-core test-slow lint tidy format sanitize fuzz fuzz-core bench bench-tables wheel walks processors check clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | \
	  while IFS='|' read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

# -- environment: a small one for the demo, a full one for work --------------------------------------------
# nanobind is pinned: another version would write another stub, which `make lint` compares with the stored one.
$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q "scikit-build-core>=1.1" "nanobind~=3.1.0" "cmake>=3.26" "ninja>=1.11"
	$(INSTALL) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(INSTALL) -e ".[dev]"
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(INSTALL) -e ".[bench]"
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	$(INSTALL) -e ".[browser]"
	@touch $@

page/node_modules: page/package.json page/package-lock.json
	cd page && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

build/dev/build.ninja: CMakeLists.txt CMakePresets.json | $(VENV)/.base
	$(CMAKE) --preset dev -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	@touch $@

# -- targets -------------------------------------------------------------------------------------------------
demo: build  ## Learn a tree on a small table, print it and the arithmetic of its first split
	@$(BIN)/python -m treewright.demo

dev: $(VENV)/.dev build  ## Make .venv with all tools, build the engine, install in place

build: $(VENV)/.base build/dev/build.ninja  ## Rebuild the engine into src/treewright (seconds)
	@$(CMAKE) --build build/dev -j $(JOBS)

test: test-core $(VENV)/.dev build  ## Run all fast tests, C++ and Python (minutes)
	$(BIN)/python -m pytest -q -m "not slow and not browser and not dask and not formats" -n $(JOBS) --hypothesis-profile=steady

test-core: $(VENV)/.base build/dev/build.ninja  ## Run the C++ tests
	@$(CMAKE) --build build/dev -j $(JOBS) --target core_tests
	build/dev/core_tests

$(VENV)/.dask: $(VENV)/.dev
	$(INSTALL) -e ".[test,dask]"
	@touch $@

$(VENV)/.formats: $(VENV)/.bench
	$(INSTALL) -e ".[formats]"
	@touch $@

formats: $(VENV)/.formats build  ## Compare imported models with their libraries, run exported ones by their programs (minutes)
	$(BIN)/python -m pytest -q -m "formats and not slow" -n $(JOBS) tests

dask: $(VENV)/.dask build  ## Run the tests of rows on a Dask cluster, which are processes of this machine (minutes)
	$(BIN)/python -m pytest -q -m dask tests/dask

test-slow: $(VENV)/.dev build  ## Run the long tests: peers, large data, fuzzing
	$(BIN)/python -m pytest -q -m "slow and not browser" -n $(JOBS)

$(VENV)/.docs: $(VENV)/.dev
	$(INSTALL) -e ".[docs]"
	@touch $@

.PHONY: docs
docs: $(VENV)/.docs build  ## Build the book into build/docs/html; check its links and words; run the notebooks
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md docs src core tools
	JOBS=$(JOBS) $(BIN)/python -m tools.book
	$(BIN)/python -m tools.book.run_notebooks

.PHONY: page page-check browser
page: page/node_modules  ## Bundle the page into src/treewright/web/static (needs Node)
	cd page && npm run --silent check && npm run --silent build

page-check: page/node_modules  ## Check that the bundle is what page/ makes
	cd page && npm run --silent check && node build.mjs ../build/page
	for file in page.js page.css index.html icon.svg; do cmp build/page/$$file src/treewright/web/static/$$file || exit 1; done

browser: $(VENV)/.browser page/node_modules build  ## Run the tests of the page in Chromium (BROWSER=required: it must be there)
	$(BIN)/python -m pytest -q -m browser tests/browser

lint: $(VENV)/.dev build  ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(NATIVE)
	$(BIN)/python tools/check_layers.py
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/check_links.py
	$(BIN)/python tools/draw_layers.py --check
	$(BIN)/python tools/check_stub.py

tidy: $(VENV)/.dev  ## Run clang-tidy over the engine (its checks: .clang-tidy)
	$(CMAKE) --preset tidy -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	printf '%s\n' $(filter %.cpp,$(filter core/%,$(NATIVE))) | \
	  xargs -n 4 -P $(JOBS) $(BIN)/clang-tidy -p build/tidy --quiet --warnings-as-errors='*'

format: $(VENV)/.dev  ## Rewrite files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE)

sanitize: $(VENV)/.base  ## Run the C++ tests under ASan + UBSan, then those with threads under TSan
	$(CMAKE) --preset asan
	$(CMAKE) --build --preset asan -j $(JOBS)
	build/asan/core_tests
	$(CMAKE) --preset tsan
	$(CMAKE) --build --preset tsan -j $(JOBS)
	build/tsan/core_tests thread
	build/tsan/core_tests team
	build/tsan/core_tests stop

fuzz: $(VENV)/.dev build  ## Throw altered files and random cases at the library (MINUTES=5 SEED=… ONLY=target)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --jobs $(JOBS) $(SEED:%=--seed %) $(ONLY:%=--only %)

fuzz-core: $(VENV)/.base  ## Throw arrays at the engine under sanitizers, with libFuzzer (MINUTES=5; needs clang)
	@if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' | \
	    clang++ -x c++ -fsanitize=fuzzer,address - -o /dev/null 2> /dev/null; then \
	  echo "fuzz-core is skipped: there is no clang++ with the runtimes of libFuzzer and its sanitizers"; \
	else $(MAKE) run-fuzz-core; fi

run-fuzz-core:
	$(CMAKE) --preset fuzz
	$(CMAKE) --build --preset fuzz -j $(JOBS)
	mkdir -p build/fuzz/seeds build/fuzz/cases build/fuzz/found
	build/fuzz/core_fuzz_seeds build/fuzz/seeds
	build/fuzz/core_fuzz -max_total_time=$$(( $(MINUTES) * 60 )) -timeout=20 -rss_limit_mb=2048 -max_len=16384 \
	  -print_final_stats=1 -artifact_prefix=build/fuzz/found/ build/fuzz/cases build/fuzz/seeds

bench: $(VENV)/.bench build  ## Measure speed and accuracy against other libraries (an hour; writes benchmarks/results)
	$(BIN)/python -m benchmarks.run cart
	$(BIN)/python -m benchmarks.run c45
	$(BIN)/python -m benchmarks.run pruning
	$(BIN)/python -m benchmarks.run forests
	$(BIN)/python -m benchmarks.run forest-accuracy
	$(BIN)/python -m benchmarks.run boosting
	$(BIN)/python -m benchmarks.run boosting-accuracy
	$(BIN)/python -m benchmarks.run boosting-shortcuts
	$(BIN)/python -m benchmarks.run imported

bench-tables: $(VENV)/.bench build  ## Every table and shape x algorithm on one page (two hours at most; goes on where it stopped)
	$(BIN)/python -m benchmarks.tables

wheel: $(VENV)/.base  ## Build a wheel into dist/ and check its size
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist .
	$(BIN)/python tools/check_wheel.py dist

walks: $(VENV)/.dev build  ## Check that docs/architecture.md draws the walks as they are (tools/walks.py --write)
	$(BIN)/python tools/walks.py --check

processors: $(VENV)/.base  ## Compare models between processors and compilers, those that are there (tools/processors.py)
	$(BIN)/python tools/processors.py --jobs $(JOBS) $(WAYS)

# What the continuous integration runs, and what is too long for it.
check: test lint docs page-check browser formats sanitize dask wheel demo tidy walks processors test-slow fuzz fuzz-core  ## Run every check there is (hours)
	$(BIN)/python tools/fingerprints.py check tests/golden/fingerprints.json

clean:  ## Remove everything that was built, and .venv
	rm -rf $(VENV) build dist src/treewright/_core*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The commands of the project; `make` alone lists them. Each command installs its dependencies and builds what it needs.
JOBS ?= $(shell nproc)
BUILD := build
CTEST_FLAGS ?=
MODEL ?= logistic_regression
ARGUMENTS ?=
KILLS ?= 50

.DEFAULT_GOAL := help
.PHONY: help setup configure build run python r r-papers wheel package test test-long mpi-test fuzz bench bench-portable bench-peers verdict-table tuning-table papers format clean

help: ## this list
	@echo "usage: make TARGET [JOBS=$(JOBS)]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1@\2/p' Makefile | awk -F@ '{ printf "%-14s %s\n", $$1, $$2 }'

run: configure ## run a model of models/ (MODEL=radon ARGUMENTS=...), then the same in C++, compared with the truth
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_program example_logistic_regression
	@$(BUILD)/sgmcmc sample models/$(MODEL).stan --data models/$(MODEL).json $(ARGUMENTS)
	@echo
	@$(BUILD)/examples/logistic_regression

python: build ## the Python package, in the virtual environment build/python
	@bash scripts/python.sh $(BUILD)

wheel: setup ## the wheel and the source archive of the Python package, in build/wheel
	@bash scripts/wheel.sh $(BUILD)

package: setup ## a .deb and a tar.gz with the program, the library and its headers, in build/package
	@bash scripts/package.sh $(BUILD) $(JOBS)

r: build ## the R package, in the library build/r-library
	@bash scripts/r.sh $(BUILD)

r-papers: r ## the experiments of the R package's paper (DATA=../data, else its data are downloaded; FIGURES="figure1 figure3")
	@$(if $(DATA),SGMCMC_DATA=$(DATA)) SGMCMC_FIGURES=docs/papers R_LIBS=$(BUILD)/r-library Rscript r/papers/experiments.R $(FIGURES)

test: configure ## all tests except the long ones: units, examples, installation, docs, layers, format
	@bash scripts/test_tools.sh $(BUILD) >$(BUILD)/test_tools.log 2>&1 & cmake --build $(BUILD) -j $(JOBS); status=$$?; \
	  wait; cat $(BUILD)/test_tools.log; exit $$status
	@bash scripts/python.sh $(BUILD) || echo "make: tests of the Python package will be skipped" >&2
	@bash scripts/r.sh $(BUILD) || echo "make: tests of the R package will be skipped" >&2
	@ctest --preset release -j $(JOBS) $(CTEST_FLAGS); status=$$?; \
	  python3 scripts/count_tests.py $(BUILD)/Testing/Temporary/LastTest.log; exit $$status

test-long: build fuzz ## the long statistical tests, the packages, and the fuzz targets for 20 seconds each
	@bash scripts/wheel.sh $(BUILD)
	@bash scripts/package.sh $(BUILD) $(JOBS)
	@ctest --preset long -j $(JOBS) $(CTEST_FLAGS)

mpi-test: configure ## test ranks under mpirun: equal files for 1 to 4 ranks, kills, hangs, slow and cut links (KILLS=50)
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_program
	@python3 tests/ranks/test_mpirun.py $(BUILD)/sgmcmc $(KILLS)
	@python3 tests/ranks/test_network.py $(BUILD)/sgmcmc

fuzz: configure ## fuzz the readers of models and data, 20 seconds each, with clang's sanitizers
	@bash scripts/setup.sh fuzz
	@cmake --preset fuzz -D SGMCMC_FUZZ_SECONDS=20 --log-level=WARNING >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@ctest --preset fuzz -j $(JOBS)

bench: configure ## compare the engine with hand-written loops; writes build/bench.json
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_bench
	@lscpu | sed -n 's/^Model name: */processor: /p'
	@$(BUILD)/bench/sgmcmc_bench --json $(BUILD)/bench.json

bench-portable: configure ## compare the portable build with the build for this processor
	@bash scripts/bench_portable.sh $(BUILD)

bench-peers: configure ## compare the engine with JAX, installed into build/; writes build/bench_peers.json
	@bash scripts/setup.sh peers
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_bench
	@bash scripts/bench_peers.sh $(BUILD)

verdict-table: configure ## compare verdicts with the truth over a grid of step sizes; rewrites the tables of docs/diagnostics.md
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_program
	@python3 scripts/verdict_table.py $(BUILD)/sgmcmc --write docs/diagnostics.md

tuning-table: configure ## compare the default command with NUTS on twelve models (DATA=../shared/data); rewrites the table of docs/tuning.md
	@cmake --build $(BUILD) -j $(JOBS) --target sgmcmc_program
	@python3 scripts/tuning_table.py --program $(BUILD)/sgmcmc $(if $(DATA),--data $(DATA)) --write

papers: build ## the experiments of the papers that are not finished (ARGUMENTS=--quick); rewrites docs/papers and its index
	@python3 scripts/papers.py --build $(BUILD) $(if $(DATA),--data $(DATA)) $(ARGUMENTS)

build: configure ## the program build/sgmcmc, library, tests, examples and benchmarks
	@cmake --build $(BUILD) -j $(JOBS)

setup: ## install the Debian packages the project needs, if missing
	@bash scripts/setup.sh build python
	@bash scripts/setup.sh mpi || echo "make: built without MPI; the program runs in one process" >&2

format: setup ## format every C++ file with clang-format
	@bash scripts/check_format.sh --fix

clean: ## remove build/
	@rm -rf $(BUILD)

configure: setup $(BUILD)/build.ninja

$(BUILD)/build.ninja: CMakePresets.json | setup
	@cmake --preset release --log-level=WARNING
	@touch $@

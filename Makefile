# Two commands do everything: `make paper` and `make test`. The others are parts of them.
SHELL := bash
.DEFAULT_GOAL := help
export LC_ALL := C
export SOURCE_DATE_EPOCH := 1577836800
# Recorded captures of real devices, where a copy of them lies beside the project.
export THINWIRE_MIRROR ?= $(abspath $(firstword $(wildcard mirror ../shared/captures)))

# R 4.5 refuses a temporary folder with a blank in its name.
ifneq ($(words x$(TMPDIR)x),1)
check-analysis lint test-analysis: export TMPDIR := /tmp
endif

ifndef THINWIRE_NIX
export PATH := $(CURDIR)/.venv/bin:$(PATH)
endif

# A workflow does not outlive this make, even one that is killed. QUIET prints failures only.
WORKFLOW = setpriv --pdeathsig KILL snakemake
QUIET = --quiet host progress reason

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

.PHONY: paper
paper: setup ## set up this machine, run the trials, build results/paper.pdf and artifact-report.pdf
	@setup/install setup/paper
	@date +%s >build/began
	$(WORKFLOW) --cores all
	@thinwire claims --counts
	@thinwire summary --since "$$(cat build/began)"

# Other rules' results count as given, so that Snakemake follows none of them down to the bundles.
DRAWING = artifact_report cell_report charts claims decide figure_recordings firmware_report nbiot_report numbers page paper report

.PHONY: figures
figures: setup ## draw and typeset anew, from the tables that are there, without a look at any bundle
	@setup/install setup/paper
	$(WORKFLOW) --cores all --allowed-rules $(DRAWING) -- results/paper.pdf results/artifact-report.pdf results/report

.PHONY: setup
setup: ## install what is missing and fetch what the firmware is built from
	@setup/install
	@setup/fetch
	@setup/uml/get

# What tests and linters need beside it.
.PHONY: setup-tests
setup-tests: setup
	@setup/install setup/paper setup/tests

# The parts of `make test`, in order. One that fails does not keep the next ones from running. The seconds of each part
# are printed; those of its tests are in build/tests (tools/spent.py build/tests/*.xml).
PARTS = test-device test-lx106 test-sim test-lab test-python test-beside
each = @failed=; for part in $(1); do began=$$SECONDS; \
  $(MAKE) --no-print-directory -o setup $$part || failed="$$failed $$part"; \
  echo "make $@: $$part: $$((SECONDS - began)) s"; done; \
  if [ -n "$$failed" ]; then echo "make $@: failed:$$failed" >&2; exit 1; fi

.PHONY: test
test: setup-tests ## set up this machine and run every test; which parts failed is said at the end
	+$(call each,$(PARTS))

# The longest first, since two run at a time.
CHECKS = check-analysis lint check-python test-device
.PHONY: check
check: setup-tests forkserver ## check format, lint, and run the unit tests that need no laboratory
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target $(addprefix --old-file=,setup forkserver) \
	  $(CHECKS)

.PHONY: check-python
check-python: device
	pytest -m "not lab and not root and not slow" -n 4 --dist loadfile hil

.PHONY: lint
lint: setup-tests
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow
	snakemake --lint
	reuse lint --lines
	shellcheck .ci/page firmware/boards/esp8266/build firmware/boards/zephyr/build setup/as-newcomer setup/configure setup/boards/run setup/boards/host/attach setup/boards/host/cell setup/boards/host/install setup/boards/host/runner setup/fetch setup/install setup/peers/install setup/progress setup/try-distribution setup/uml/build setup/uml/get setup/without-services setup/action/hunt setup/action/install setup/action/try setup/wheel/as-user setup/wheel/try .ci/run tools/docs tools/lint-page tools/r-packages workflow/wireshark/dissect $$(git ls-files '*.sh')
	git ls-files '*.c' '*.h' '*.cc' '*.hpp' | xargs clang-format --dry-run -Werror
	pytest workflow/tests/test_actions.py
	zizmor --offline --quiet .github action.yml
	nice -n 10 Rscript tools/lint.R
	tools/lint-page

.PHONY: lint-actions
lint-actions: setup ## lint the workflows of GitHub, scripts in them included, by actionlint (needs Go)
	@setup/install setup/actions
	cd setup/actions && go build -mod=readonly -trimpath -o ../../build/actionlint github.com/rhysd/actionlint/cmd/actionlint
	build/actionlint

.PHONY: device
device: setup
	setup/configure firmware/boards/host build/firmware/host >/dev/null
	cmake --build build/firmware/host

.PHONY: test-device
test-device: setup-tests device
	@mkdir -p build/tests
	ctest --test-dir build/firmware/host --output-on-failure -j 2 --output-junit "$(CURDIR)/build/tests/device.xml"

.PHONY: test-lx106
test-lx106: setup
	setup/configure firmware/boards/lx106 build/firmware/lx106 >/dev/null
	cmake --build build/firmware/lx106
	@mkdir -p build/tests
	ctest --test-dir build/firmware/lx106 --output-on-failure -j 2 --output-junit "$(CURDIR)/build/tests/lx106.xml"

.PHONY: recordings
recordings: setup ## fetch the recorded captures that can be had; tests of the others are skipped
	$(WORKFLOW) --cores 1 $(QUIET) -- recordings

.PHONY: libraries
libraries: ## fetch the libraries of other authors for the firmware; those that cannot be had are reported
	@firmware/libraries/fetch

SIM_TEST = -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug # with Clang the fuzzers are built, too
.PHONY: test-sim
test-sim: setup-tests recordings
	setup/configure sim build/sim-debug $(SIM_TEST) >/dev/null
	cmake --build build/sim-debug
	@mkdir -p build/tests
	THINWIRE_CAPTURES="$(CURDIR)/data/recordings" ctest --test-dir build/sim-debug --output-on-failure -j 2 \
	  --output-junit "$(CURDIR)/build/tests/sim.xml"

.PHONY: forkserver
forkserver: setup
	$(WORKFLOW) --cores 1 $(QUIET) -- build/wireshark/request

ANALYSIS = nice -n 10 Rscript workflow/R/tests/testthat.R --jobs 2
.PHONY: check-analysis
check-analysis: setup-tests forkserver
	$(ANALYSIS) --quick

.PHONY: test-analysis
test-analysis: setup-tests forkserver recordings
	$(ANALYSIS)

.PHONY: lab
lab: device
	@setup/install setup/crate setup/boards
	$(WORKFLOW) --cores all $(QUIET) -- build/firmware/lx106/thinwire.elf build/sim/nbiot/nbiot build/lab/current

.PHONY: wheel
wheel: setup ## the command line with the laboratory in one file, build/wheel/thinwire-*.whl, and RabbitMQ in another
	$(WORKFLOW) --cores all $(QUIET) -- build/firmware/lx106/thinwire.elf build/lab/current
	setup/configure sim build/wheel/sim -DTHINWIRE_NATIVE=OFF -DCMAKE_EXE_LINKER_FLAGS=-static >/dev/null
	cmake --build build/wheel/sim --target lx106 nbiot
	python setup/wheel/build.py

.PHONY: container
container: wheel ## the wheel with R and tshark as an OCI image, localhost/thinwire, by buildah without a daemon
	@setup/install setup/container
	buildah bud --isolation chroot --tag thinwire --file setup/container/Containerfile build/wheel

.PHONY: test-wheel
test-wheel: wheel ## the wheel in an environment of its own: its demo's bundles, its limits, what it refuses
	pytest hil/tests/end_to_end/wheel

.PHONY: test-lab
test-lab: setup-tests lab
	pytest -m lab -n 2 --dist loadfile --junitxml build/tests/lab.xml hil workflow/tests

# More workers than processors, since many of these tests wait for timers of servers.
.PHONY: test-python
test-python: setup-tests lab
	pytest -m "not lab" -n 4 --dist loadfile --junitxml build/tests/python.xml \
	  --ignore=hil/tests/testbeds/test_hardware.py hil workflow/tests

# The boards of its farm have deadlines on the host's clock: it runs beside what leaves it a processor.
.PHONY: test-farm
test-farm: lab
	@mkdir -p build/tests
	pytest -m "not lab" --junitxml build/tests/farm.xml hil/tests/testbeds/test_hardware.py

# The farm mostly waits. What uses all processors, the tests and the linter of R, leaves it one when it needs one. Two
# workflows cannot run in one folder, so those of the prerequisites run first.
.PHONY: test-beside
test-beside: lab recordings forkserver
	@$(MAKE) --no-print-directory --jobs=3 --keep-going --output-sync=target \
	  $(addprefix --old-file=,setup lab recordings forkserver) \
	  test-farm test-analysis lint

.PHONY: test-cluster
test-cluster: setup ## run trials on a Slurm set up for it, and let parts of it fail
	@setup/install setup/slurm
	$(WORKFLOW) --cores all $(QUIET) -- build/firmware/lx106/thinwire.elf build/sim/nbiot/nbiot build/lab/current
	pytest -o pythonpath=workflow/tests hil/tests/end_to_end/slurm

.PHONY: test-container
test-container: setup ## a trial in a container (of podman without root, of docker for root) has the digest that it has outside
	@setup/install setup/container
	$(WORKFLOW) --cores all $(QUIET) -- build/firmware/lx106/thinwire.elf build/lab/current
	pytest hil/tests/end_to_end/container

.PHONY: test-kernel
test-kernel: setup ## the kernel of the machine uml has the same bytes when it is built in another folder
	nice -n 15 pytest hil/tests/end_to_end/kernel

.PHONY: test-examples
test-examples: lab ## the examples of clients that need Go, Java, Node.js or Rust, which set-up does not install
	pytest hil/tests/end_to_end/examples

.PHONY: league
league: setup ## the study of clients and servers of other authors, in full; its report names those that cannot be built
	$(WORKFLOW) --cores all --config studies=[league] profile=full -- results/reports/league

.PHONY: test-peers
test-peers: device ## the device before the peers of other projects, from their registries (root; PEERS=options of suite.py)
	@setup/peers/install
	setup/configure firmware/boards/lx106 build/firmware/lx106 >/dev/null
	cmake --build build/firmware/lx106
	$(if $(filter 0,$(shell id -u)),,sudo env "PATH=$$PATH" PYTHON2="$$PYTHON2") python firmware/tests/interop/suite.py $(PEERS)

.PHONY: handshakes
handshakes: setup ## BearSSL's handshakes on the ESP8266's CPU against Tasmota's published times
	@setup/fetch bearssl
	setup/configure firmware/tests/bearssl build/firmware/bearssl >/dev/null
	cmake --build build/firmware/bearssl
	ctest --test-dir build/firmware/bearssl --output-on-failure
	python firmware/tests/bearssl/times.py

.PHONY: test-page
test-page: setup ## the page in Chromium: of trials whose truth is known, and of results, where they are
	@setup/install setup/page
	pytest hil/tests/end_to_end/page

SOAK = 200
.PHONY: test-boards
test-boards: setup ## every fault of a board, on a farm without silicon, then SOAK=200 trials (root)
	@setup/install setup/boards setup/boards/stations
	$(WORKFLOW) --cores all $(QUIET) -- build/firmware/lx106/thinwire.elf
	pytest -o pythonpath=. hil/tests/end_to_end/boards
	python hil/tests/end_to_end/boards/soak.py $(SOAK)

FUZZ_S = 60
SIM_FUZZERS = air/air-fuzz_config air/air-fuzz_frames lx106/lx106-fuzz_inputs nbiot/nbiot-fuzz_config \
	wire/wire-fuzz_config wire/wire-fuzz_frames
.PHONY: fuzz
fuzz: setup-tests device ## fuzz every parser, FUZZ_S=60 seconds each, one a processor; print the executions and what was reached
	@setup/install setup/fuzz
	setup/configure sim build/sim-debug $(SIM_TEST) >/dev/null
	setup/configure sim build/sim-coverage -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Coverage >/dev/null
	cmake --build build/sim-debug --target $(notdir $(SIM_FUZZERS))
	cmake --build build/sim-coverage --target $(notdir $(SIM_FUZZERS))
	cmake --build build/firmware/host --target fuzzers_late coverage
	nice -n 15 firmware/tests/fuzz.sh $(FUZZ_S)
	nice -n 15 firmware/tests/fuzz.sh $(FUZZ_S) build/firmware/host fuzz_secure fuzz_resumption
	nice -n 15 firmware/tests/fuzz.sh $(FUZZ_S) build/sim-debug $(SIM_FUZZERS)
	python firmware/tests/fuzz_report.py build/firmware/host build/sim-debug

.PHONY: hunts
hunts: device ## search for the faults of public bug reports again, HUNT_MINUTES each at most
	python firmware/tests/hunt_reports.py --minutes $(or $(HUNT_MINUTES),60)
	python -m hil.selfcheck.measured hunt-proof

.PHONY: hunt-mutants
hunt-mutants: device ## give HUNT_SAMPLE mutants of the engines to a short search, and to the unit tests
	python firmware/tests/hunt_mutants.py --sample $(or $(HUNT_SAMPLE),20)
	python -m hil.selfcheck.measured hunt-mutants

.PHONY: night
night: setup ## hunt each engine for NIGHT_MINUTES; the same command goes on after a stop
	@mkdir -p build/hunts
	python -m hil.selfcheck.hunts --minutes $(or $(NIGHT_MINUTES),60) --out build/hunts/night >build/hunts/night.csv
	cp build/hunts/night.csv docs/measured/hunts.csv
	python -m hil.selfcheck.measured hunts

.PHONY: mutants
mutants: device ## break the engines in each way of firmware/tests/mutants: does a test notice?
	python firmware/tests/mutants.py

COMPILE = build/pins/bin/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header \
  --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: docs
docs: setup ## build the documentation as a site, build/site, and check every link
	@setup/install setup/docs
	tools/docs

.PHONY: man
man: setup ## the manual page of the command line, build/man/thinwire.1
	python tools/man.py build/man/thinwire.1

.PHONY: r-packages
r-packages: setup ## the analysis as R packages with documentation, build/r, installed in build/r/library
	@setup/install setup/r
	tools/r-packages

.PHONY: requirements
requirements: setup ## pin the requirements.in files of setup anew, with hashes, and what pins them
	python3 -m venv --clear build/pins
	build/pins/bin/pip install --quiet --disable-pip-version-check --require-hashes -r setup/pins/requirements.txt
	$(COMPILE) -o setup/pins/requirements.txt setup/pins/requirements.in
	$(COMPILE) -o setup/requirements.txt setup/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/slurm/requirements.txt setup/slurm/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/peers/requirements.txt setup/peers/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/page/requirements.txt setup/page/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/docs/requirements.txt setup/docs/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/tests/requirements.txt setup/tests/requirements.in
	$(COMPILE) -c setup/requirements.txt -o setup/crate/requirements.txt setup/crate/requirements.in
	$(COMPILE) -c setup/requirements.txt -c setup/crate/requirements.txt -o setup/boards/requirements.txt setup/boards/requirements.in
	$(COMPILE) -o setup/platformio/requirements.txt setup/platformio/requirements.in
	$(COMPILE) -o setup/zephyr/requirements.txt setup/zephyr/requirements.in

.PHONY: clean
clean: ## remove everything that was built, but no bundle
	rm -rf build results .snakemake

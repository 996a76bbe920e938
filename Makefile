# The two commands of the README, and those of a maintainer.
.PHONY: demo test check lint all-tests test-long test-often test-newest test-lowest smoke-lowest kiosk-test contract kills fuzz soak bench bench-soak bench-flood bench-service bench-diagnosis golden desk-pictures lock audit openapi
.PHONY: image-pc image-pi kiosk-vm
.PHONY: deb wheel client test-packages test-debian apt-repository release clean-roots

# Else pytest would rewrite every test module in each run, and each program that a test starts compile its own.
unexport PYTHONDONTWRITEBYTECODE

PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m tests.parallel

demo:
	@packaging/set-up demo
	@$(PYTHON) -m player demo

# The linters beside the tests: mypy takes one core for half a minute.
test:
	@packaging/set-up test
	@$(MAKE) --no-print-directory --jobs=2 lint all-tests

all-tests:
	@$(PYTEST)

# Linters, types and the tests of what changed since main: a minute, while one works. LONG=1 adds those of them that only
# `make test-long` would run: minutes.
check:
	@packaging/set-up test
	@$(MAKE) --no-print-directory lint
	@$(PYTHON) -m tests.changed $(if $(LONG),--long)

lint:
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy

# All tests, those marked `long` as well, with more kills and many more generated cases, new ones in each run:
# docs/development.md lists what only these prove.
test-long:
	@packaging/set-up test
	@MENU_EXAMPLES=$${MENU_EXAMPLES:-500} MENU_FUZZ=$${MENU_FUZZ:-100000} MENU_TEST_KILLS=$${MENU_TEST_KILLS:-20} $(PYTEST) -m "long or not long"

# The tests of `make test`, N times, each time in another order, and a table of those that were ever red. With LOAD=1
# while other work keeps both cores busy, with SEED=K in that order first: make test-often N=10
test-often:
	@packaging/set-up test
	@$(PYTHON) -m tests.often --runs $(N) --load $(if $(LOAD),2,0) $(if $(SEED),--seed $(SEED))

# The tests of `make test` on the newest libraries of this moment that pyproject.toml allows, without the lock; on the
# lowest, which are Debian 13's (requirements-lowest.lock); and of those what a shop would notice first, in a minute.
test-newest:
	@packaging/set-up newest
	@$(MAKE) --no-print-directory all-tests PYTHON=.venv-newest/bin/python

test-lowest:
	@packaging/set-up lowest
	@$(MAKE) --no-print-directory all-tests PYTHON=.venv-lowest/bin/python

smoke-lowest:
	@packaging/set-up lowest
	@.venv-lowest/bin/python -m pytest -q tests/smoke

# Whole boards in a Debian 13 with systemd, from the packages: half an hour or more. As root; the first run makes roots by
# debootstrap.
kiosk-test:
	@[ "$$(id -u)" = 0 ] || { echo "make kiosk-test boots a machine in namespaces, and needs root" >&2; exit 1; }
	@packaging/set-up test
	@MENU_KIOSK=1 $(PYTHON) -m pytest -q tests/kiosk

# The disk image of a mini-PC in a virtual machine: codes and menus read from its screen, its power cut, an update taken
# back. As root. Emulated, it takes an hour; CUTS says how often the power is cut. MACHINE=arm64 takes the Raspberry Pi's
# image on QEMU's general machine, MACHINE=raspi4b on its model of a Pi 4.
CUTS ?= 20
MACHINE ?= pc
kiosk-vm:
	@packaging/set-up test
	@MENU_VM=$(MACHINE) MENU_VM_CUTS=$(CUTS) $(PYTHON) -m pytest -q -s tests/vm

# Check the running service against its API document for some minutes, with new data in each run.
contract:
	@packaging/set-up test
	@$(PYTHON) -m tests.contract

# Kill the service at random moments, many more times than the tests do.
kills:
	@packaging/set-up test
	@MENU_TEST_KILLS=$${MENU_TEST_KILLS:-100} $(PYTHON) -m pytest -q -m "long or not long" --durations=0 tests/service/storage/test_crash.py

# Compare the glass of two players with a model of docs/semantics.md for a week of virtual time, in about half an hour:
# make soak DAYS=7. With SEED=K the same week again, with SOAK=--glass one player draws.
DAYS ?= 7
soak:
	@packaging/set-up test
	@$(PYTHON) -m tests.soak $(SOAK) --days $(DAYS) $(if $(SEED),--seed $(SEED))

# Read mutated inputs of every kind: make fuzz N=1000000, with SEED=K the same ones again.
N ?= 100000
fuzz:
	@packaging/set-up test
	@QT_QPA_PLATFORM=offscreen $(PYTHON) -m tests.fuzz --count $(N) $(if $(SEED),--seed $(SEED)) 2> /dev/null

bench:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks

# Loop for hours of virtual time, without and with a film, offscreen, on an X server and in cage: make bench-soak HOURS=8.
# HOURS=24 is a day. SOAK='--only cage' runs one of the four.
HOURS ?= 1
bench-soak:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.soak $(SOAK) $(HOURS)

# Frames of the fades while the page is attacked, offscreen and on an X server, against those at rest.
bench-flood:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.flood --platform offscreen
	@$(PYTHON) -m benchmarks.flood --platform x11

# The service on both engines, its reads beside a bare FastAPI route and beside exports, and a fleet of 20,000 players behind
# nginx, on two processes and on three.
bench-service:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.service
	@$(PYTHON) -m benchmarks.reads
	@$(PYTHON) -m benchmarks.exports
	@$(PYTHON) -m benchmarks.fleet

# Inject every fault of tests/diagnosis/ into a real player: how often, how soon and how steadily its first finding is
# right. ONLY='cable' injects those with this in their name.
bench-diagnosis:
	@packaging/set-up test
	@$(PYTHON) -m benchmarks.diagnosis $(if $(ONLY),--only "$(ONLY)") $(DIAGNOSIS)

# Store the images of the design kit's boards as they are drawn now. Look at what changed first.
golden:
	@packaging/set-up test
	@MENU_TEST_KEEP_GOLDEN=1 $(PYTHON) -m pytest -q -m "long or not long" tests/player/display/views/test_golden.py

# Draw the pictures of docs/desk.md again, after a change of the desk's pages. Look at them before a commit.
desk-pictures:
	@packaging/set-up test
	@MENU_DESK_PICTURES=docs/desk $(PYTHON) -m pytest -q -m long tests/desk/test_pictures.py

# Write the API document again, after a change of the service's routes.
openapi:
	@$(PYTHON) -m service.cli.api_document

# Resolve the dependencies again: the newest that pyproject.toml allows, and the lowest, which are Debian 13's
# (docs/adr/0002). Tools that never reach a device are the newest in each.
RESOLVE := .venv/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
  --no-emit-index-url --no-emit-find-links --only-binary :all: --upgrade --quiet pyproject.toml --extra service
EVERYTHING := --extra s3 --extra documents --extra dev --group checkout
lock:
	@$(RESOLVE) --group checkout --output-file requirements.lock
	@$(RESOLVE) $(EVERYTHING) --constraint requirements.lock --output-file requirements-dev.lock
	@floors=$$(mktemp) && trap 'rm "$$floors"' EXIT && \
	  $(RESOLVE) --extra s3 --extra documents --extra fast --resolution lowest-direct --overrides packaging/lock/debian13.txt >"$$floors" && \
	  $(RESOLVE) $(EVERYTHING) --constraint "$$floors" --overrides packaging/lock/debian13.txt --output-file requirements-lowest.lock

# Ask for published advisories on what is locked: 0 if there are none, 1 if there are, 2 if that cannot be found out here.
audit:
	@packaging/set-up test
	@$(PYTHON) packaging/audit.py

# The Debian packages of this commit, into dist/.
deb:
	@packaging/build-deb

# The wheel and the sdist of this commit, into dist/.
wheel:
	@packaging/set-up demo
	@packaging/build-wheel

# The Python client of the API, into dist/.
client:
	@packaging/set-up test
	@packaging/build-client

# The disk image of a mini-PC, or the card of a Raspberry Pi, with these packages, into dist/:
# IMAGE='--service https://menu.example.com'. As root.
image-pc: deb
	@packaging/build-image pc $(IMAGE)

image-pi: deb
	@packaging/build-image pi $(IMAGE)

# Build them twice, install them on a bare Debian 13, use, upgrade and purge them; install the wheel on Debian 12, 13 and
# testing, and run its demo: minutes, as root.
test-packages:
	@packaging/set-up test
	@$(PYTHON) -m pytest -q -m long tests/packaging/test_packages.py

# Run the tests on Debian 13's own libraries, in a root of its own: make test-debian TESTS=tests/player/domain. With
# SUITE=forky on those of the next Debian.
TESTS ?= --numprocesses 4 --dist worksteal
SUITE ?= trixie
test-debian:
	@SUITE=$(SUITE) packaging/debian-root test $(TESTS)

# Remove the Debian roots that these keep in /var/cache.
clean-roots:
	@packaging/debian-root remove

# A signed apt repository of the packages in dist/, in dist/apt.
apt-repository: deb
	@packaging/build-repository

# A release of HEAD, built twice and compared, into dist/release: packages, repository, wheel, sdist, images of all machines
# or those in IMAGES, bills of materials, checksums. An hour or more, as root.
IMAGES ?= $(shell sed -n 's/^image-\([a-z]*\):.*/\1/p' Makefile)
release:
	@packaging/set-up test
	@packaging/build-release $(IMAGES)

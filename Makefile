# Each target sets up what it needs: a machine with Python 3.11 or newer and pip is enough.
PYTHON ?= python3
BIN = .venv/bin
comma = ,
# A file of tests stays in one process, which makes what its tests share once; the longest files come first.
PYTEST = $(BIN)/pytest -n 2 --dist loadscope --no-loadscope-reorder

# Python keeps what it compiles, even where the surroundings forbid it: otherwise each process of the tests
# spends six seconds on compiling them.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo check lint fast-tests test page-tests all-tests durations shuffled figures handoff wheel page browser studio docs pictures fuzz kill matrix release clean

demo: .venv/ready
	$(BIN)/randori demo --out out/demo

# What to run after every change: a minute. The tests that it leaves out are in tests/slow.csv.
check: .venv/ready-dev
	$(MAKE) --jobs 2 lint fast-tests

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fast-tests: .venv/ready-dev
	$(PYTEST) -m "not slow"

# Everything. What needs one core for itself runs beside the tests, which share two.
test: .venv/ready-dev node_modules/.ready web/node_modules/.ready page browser
	$(MAKE) --jobs 3 lint page-tests all-tests

page-tests: web/node_modules/.ready
	cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm run lint --silent && PATH="$(CURDIR)/$(BIN):$$PATH" npm test --silent

all-tests: .venv/ready-dev
	$(PYTEST)

# Which tests are slow, measured once more; best on a quiet machine, with warm caches.
durations: .venv/ready-dev node_modules/.ready page browser
	$(PYTEST) --record-durations

# All tests in another order every time: none may depend on what another one leaves behind. SEED=n repeats one.
shuffled: .venv/ready-dev node_modules/.ready page browser
	$(PYTEST) --shuffle $(or $(SEED),$(shell date +%s))

# The tables of the pages, as docs/figures has them.
figures: .venv/ready-dev
	$(BIN)/python -m randori.bench.figures docs

# A Chromium for the tests of the studio's page, where it can be installed; without one they are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { command -v apt-get >/dev/null && $(if $(filter 0,$(shell id -u)),,sudo -n) apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "No Chromium, and it cannot be installed here: the studio's browser tests will be skipped."

# The studio's page, built by the Node that comes with the development packages.
page: .venv/ready-dev
	$(BIN)/python packaging/page.py

studio: page
	$(BIN)/randori studio

# The documentation as a site, in out/site: every link is checked, and it needs no network.
docs: .venv/ready-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Into Blender and back: every joint, every frame. Blender comes as a Python package, in an environment of its own.
handoff: .venv/ready .venv-blender/ready
	PYTHONPATH=tests $(BIN)/python tests/handoff/make.py out/handoff
	.venv-blender/bin/python tests/handoff/check_in_blender.py out/handoff
	$(BIN)/python tests/handoff/read_back.py out/handoff

# A wheel, installed into an empty environment, works there.
wheel: .venv/ready-dev
	rm -rf dist .venv-wheel
	$(BIN)/python -m build --wheel --outdir dist .
	$(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	cd dist && ../.venv-wheel/bin/randori demo --seconds 2 --out demo && ../.venv-wheel/bin/randori inspect demo/boxing.npz
	PYTHONPATH=tests .venv-wheel/bin/python tests/studio/serve_installed.py
	rm -rf .venv-wheel

# Damaged inputs for every reader, at length: INPUTS of each kind, from SEED on. Some kinds: KINDS="scene take".
fuzz: .venv/ready-dev
	PYTHONPATH=tests $(BIN)/python tests/formats/fuzz.py --seed $(or $(SEED),1) --inputs $(or $(INPUTS),20000) $(KINDS)

# Commands killed at random moments: no half file, nothing that the next run stumbles over.
kill: .venv/ready-dev
	PYTHONPATH=tests $(BIN)/python tests/kill.py --seed $(or $(SEED),1) --kills $(or $(KILLS),100)

# The fast tests on every Python that is found here, with the lowest and the newest versions of all packages.
matrix:
	$(PYTHON) packaging/matrix.py $(MATRIX)

# Wheel, source distribution and a list of what is in them (CycloneDX); built twice, to the same bytes.
release: .venv/ready-dev page
	$(BIN)/python packaging/release.py dist

# The pictures of the pages.
pictures: .venv/ready-dev page browser
	$(BIN)/python docs/images/make.py
	$(BIN)/python docs/images/make_decision.py
	$(BIN)/python docs/images/make_gallery.py
	$(BIN)/python docs/images/make_studio.py

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# Install Randori; the cores that pip leaves idle compile the kernels that a scene needs first.
define install
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	$(BIN)/python -m pip install --quiet --no-warn-conflicts numba
	@for _ in 1 2; do $(BIN)/python -c "from randori.kernels.ahead import compile_all; compile_all('demo')" & done; \
	  $(BIN)/python -m pip install --quiet --editable "$(1)"; status=$$?; wait; exit $$status
endef

.venv/ready: .venv/bin/python pyproject.toml
	$(call install,.)
	touch $@

.venv/ready-dev: .venv/bin/python pyproject.toml
	$(call install,.[dev$(comma)bench$(comma)cluster$(comma)usd])
	touch $@ .venv/ready

.venv/ready-docs: .venv/ready-dev
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@

# The Khronos glTF validator, run by the Node that comes with the development packages.
node_modules/.ready: .venv/ready-dev package.json package-lock.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --no-audit --no-fund --silent
	touch $@

web/node_modules/.ready: .venv/ready-dev web/package.json web/package-lock.json
	cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --no-audit --no-fund --silent
	touch $@

.venv-blender/ready:
	$(PYTHON) -m venv .venv-blender
	.venv-blender/bin/python -m pip install --quiet --upgrade pip
	.venv-blender/bin/python -m pip install --quiet bpy
	touch $@

clean:
	rm -rf .venv .venv-blender .venv-matrix node_modules web/node_modules web/dist out build dist

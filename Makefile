.DEFAULT_GOAL := help
PY := .venv/bin/python
export PYTHONPATH := include:plugins

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

setup: .venv/.ready ## build .venv from the pinned requirements; says what comes next
	@echo "Ready. Next: make up starts everything and reads the boards; make demo shows a whole loop."

.venv/.ready: requirements.txt requirements-dev.txt pyproject.toml
	python3.11 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt -r requirements-dev.txt
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

lint: ## ruff, mypy, import contracts
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

test: ## everything not marked docker, browser, e2e or chaos
	$(PY) -m pytest -m "not docker and not browser and not e2e and not chaos"

acceptance: ## what the project has to show, at full size; goes on where it was stopped (PARTS="name ..." for some)
	$(PY) perf/acceptance.py $(PARTS)

golden: ## write the golden files anew; read the difference before you commit it
	AUTO_BENCHMARK_REFRESH_GOLDEN=1 $(PY) -m pytest -q tests/unit/reporting tests/dags/test_integrity.py

images: ## build the trial images (BASE_IMAGE=name NETWORK=none for a machine without a network)
	$(PY) -m auto_benchmark images $(if $(BASE_IMAGE),--base-image $(BASE_IMAGE)) $(if $(NETWORK),--network $(NETWORK))

up: setup ## start Postgres, Airflow, arena and MLflow; says where the UI is and how to log in
	@$(PY) -m auto_benchmark stack up

down: ## stop what up and demo have started; the data stay
	@$(PY) -m auto_benchmark stack down

panel: ## environment for a panel of programs written elsewhere: make panel PANEL=language_identification
	@include/auto_benchmark/construction/candidates/elsewhere/install.sh $(PANEL)

harbor: ## Harbor's command line in .harbor, to lint exported laboratory tasks (needs Python 3.12)
	python3.12 -m venv .harbor
	.harbor/bin/pip install --quiet --disable-pip-version-check harbor==0.25.0

demo: setup ## from behind to #1 in a real Airflow; the last line is the result as JSON (SATURATION=1: and a further act)
	@$(PY) -m auto_benchmark stack demo $(if $(SATURATION),--saturation)

lock: ## resolve requirements.in into requirements.txt (needs uv)
	uv pip compile requirements.in -o requirements.txt --python-version 3.11 --no-header --no-annotate
	uv pip compile requirements-dev.in -o requirements-dev.txt --python-version 3.11 --no-header --no-annotate

.PHONY: help setup panel harbor lint test acceptance golden images up down demo lock

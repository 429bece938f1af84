# make help lists the targets. Two of them need nothing but Go: demo and test.
.DEFAULT_GOAL := help
.PHONY: help demo dev test test-all race lint fuzz simulate bench cost clean generate

N ?= 1000000
SEED ?=
FUZZTIME ?= 10s

include build.mk

help: ## this list
	@grep -hE '^[a-z%-]+[A-Za-z%]*:.*## ' Makefile build.mk | sort | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

demo: ## the main job, start to finish, on the embedded engine
	@go run ./cmd/postern demo

dev: ## the whole system in one process, with panel and stand-ins
	@go run ./cmd/postern dev

# The browser tests need Chromium and drive it in real time: they run alone, by
# make browser, and are not counted among those that need nothing but Go.
WITHOUT_BROWSER = $$(go list ./... | grep -v '/tests/browser$$')

test: ## all tests that need nothing but Go
	@go test $(WITHOUT_BROWSER)
	@echo "left out: browser tests (make browser brings Chromium)"
	@test -n "$$POSTERN_DYNAMO_ENDPOINT" || echo "left out: the table contract on DynamoDB's side (make conformance brings its server)"

test-all: test race conformance lint-template rie e2e emulate browser ## make test, and all that brings tools of its own

race: ## the tests under the race detector
	@go test -race -short $(WITHOUT_BROWSER)

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	@go vet ./...
	@go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fuzz: ## each fuzz target for FUZZTIME
	@infra/tools/fuzz.sh $(FUZZTIME)

simulate: ## N operations from SEED in made worlds
	@N=$(N) SEED=$(SEED) go test -count=1 -timeout 0 -v -run 'TestWorlds' ./tests/simulation

bench: ## benchmarks beside their goals
	@infra/tools/bench.sh

cost: ## AWS calls and money of one approval round trip, and at rest
	@go run ./tests/cost

browser: ## the panel in headless Chromium
	@infra/tools/chromium.sh go test -count=1 ./tests/browser/...

generate: ## what templ makes of the panel's pages (committed)
	@go run github.com/a-h/templ/cmd/templ@v0.3.1118 generate ./shared/flow/panel

clean: ## everything that make made
	@rm -rf .aws-sam dist .dev

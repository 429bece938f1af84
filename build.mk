# Building, checking and trying the deployment (D1, D10). Included by Makefile.
# `sam build` calls build-NAMEFunction with ARTIFACTS_DIR set and no word about
# the architecture: arm64, unless GOARCH says otherwise for an emulator.

GOARCH ?= arm64
SAM := SAM_CLI_TELEMETRY=0 .tools/sam/bin/sam
FUNCTIONS := Slack Feishu Github Gate Dispatch Turn Deliver Wake Api

.PHONY: build package-sizes lint-template conformance e2e emulate load rie localstack cloud-test deploy

build-%Function:
	CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go build -tags lambda.norpc -trimpath -buildvcs=false \
		-ldflags="-s -w" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

build: ## every function's package, as sam deploy takes it
	@infra/tools/install.sh sam
	$(SAM) build
	@go run ./infra/tools/sizes .aws-sam/build

package-sizes: ## each package at most 5 MB zipped (needs Go only)
	@for f in $(FUNCTIONS); do \
		$(MAKE) --no-print-directory build-$${f}Function ARTIFACTS_DIR=dist/$(GOARCH)/$${f}Function || exit 1; done
	@go run ./infra/tools/sizes dist/$(GOARCH)

lint-template: ## the expanded template linted and asserted
	@infra/tools/install.sh sam
	@mkdir -p dist
	.tools/sam/bin/python infra/tools/expand.py template.yaml >dist/template.json
	.tools/sam/bin/cfn-lint dist/template.json
	POSTERN_EXPANDED_TEMPLATE=$(CURDIR)/dist/template.json infra/tools/counted.sh ./tests/template

conformance: ## the table contract on dynoxide, and what looks into such a table
	@infra/tools/with-dynoxide.sh infra/tools/counted.sh ./shared/store/dynamo/...
	@infra/tools/with-dynoxide.sh infra/tools/counted.sh ./shared/store/table/tablecount
	@infra/tools/with-dynoxide.sh infra/tools/counted.sh -run TestDeployedTable ./cmd/postern

e2e: ## the scenario and its harder cousins on postern dev, killed on the way
	@go build -o dist/postern ./cmd/postern
	@go run ./tests/e2e -dev dist/postern

emulate: ## the real template and binaries on ministack, twice
	@infra/emulate/run.sh
	@POSTERN_EMULATE_BUILT=1 infra/emulate/run.sh --auth
	@infra/deploy/try.sh

load: ## signed webhooks at stepped rates, drawn: in one process, then on ministack
	@go run ./tests/load -svg docs/load-embedded.svg
	@infra/emulate/run.sh go run ./tests/load -svg docs/load-ministack.svg

rie: ## each function starts and answers its sample event
	@infra/rie/run.sh

localstack: ## the scenario on LocalStack (Docker and a plan)
	@infra/localstack/run.sh

cloud-test: ## the scenario in an AWS account (credentials)
	@infra/cloud/run.sh

deploy: ## guided deployment into your account (STACK=postern)
	@infra/deploy/run.sh $(STACK)

#!/usr/bin/env bash
# Deploys Postern into your AWS account, asking what it must (U4). Run it again
# to change an answer or to deploy a newer version: what is there is offered and
# kept.
#
#   infra/deploy/run.sh [STACK]      AWS_REGION or AWS_PROFILE say where
#
# Secrets go to Secrets Manager and nowhere else. At the end it prints the
# addresses, and for each platform what to paste where.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
stack=${1:-postern}
infra/tools/install.sh sam >&2
export SAM_CLI_TELEMETRY=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

.tools/sam/bin/python infra/deploy/ask.py "$stack" >"$work/answers"
mapfile -t answers <"$work/answers"

if [ -z "${POSTERN_DEPLOY_BUILT:-}" ]; then
	.tools/sam/bin/sam build
fi
.tools/sam/bin/sam deploy --template-file "${POSTERN_DEPLOY_BUILT:-.aws-sam/build/template.yaml}" \
	--stack-name "$stack" --resolve-s3 --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND \
	--no-fail-on-empty-changeset "${POSTERN_DEPLOY_CONFIRM:---confirm-changeset}" \
	--parameter-overrides "${answers[@]}" "LogRetentionDays=30"

.tools/sam/bin/python infra/emulate/addresses.py "$stack" cloud >"$work/addresses.json"
go run ./infra/deploy/manifests "$work/addresses.json"

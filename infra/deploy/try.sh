#!/usr/bin/env bash
# Tries the guided deployment on an emulated account: once from nothing, once
# again with everything kept. Looks that the secrets are where they belong and
# nowhere in the folder it worked in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$PWD/.tools
infra/tools/install.sh sam stack >/dev/null
work=$(mktemp -d)
. infra/emulate/ministack.sh
ended() {
	local code=$?
	[ "$code" -eq 0 ] || tail -n 40 "$work"/*.out >&2
	stop_ministack
	rm -rf "$work"
	exit "$code"
}
trap ended EXIT
[ -f .aws-sam/local/template.yaml ] || GOARCH=amd64 SAM_CLI_TELEMETRY=0 "$tools/sam/bin/sam" build --build-dir .aws-sam/local >"$work/build.out" 2>&1
export POSTERN_DEPLOY_BUILT=.aws-sam/local/template.yaml POSTERN_DEPLOY_CONFIRM=--no-confirm-changeset
export TMPDIR=$work/tmp

read -r port < <(ports 1)
start_ministack "$port" false
secret() {
	"$tools/stack/bin/python" -c 'import boto3, sys; print(boto3.client("secretsmanager").get_secret_value(SecretId=sys.argv[1])["SecretString"])' "$1"
}

marked=marked-$RANDOM-$RANDOM
printf '%s\n' y "$marked-signing" "xoxb-$marked" n n scripted:demo n ops@example.com - |
	infra/deploy/run.sh trial >"$work/first.out" 2>&1
secret trial/slack | grep -q "$marked-signing"
grep -q 'request_url: https://.*/hooks/slack' "$work/first.out"
grep -q 'github.com/settings/apps/new?' "$work/first.out"

printf '%s\n' y n n "" n "" "" | infra/deploy/run.sh trial >"$work/second.out" 2>&1
secret trial/slack | grep -q "xoxb-$marked"
grep -qiE 'no changes to deploy|is up to date|created/updated' "$work/second.out"
grep -q 'ops@example.com' "$work/second.out" # offered again
if grep -rlqs "$marked" "$work/tmp" "$work/first.out" "$work/second.out"; then
	echo "a secret was left behind" >&2
	exit 1
fi
echo "guided deployment: from nothing, and again with everything kept"

#!/usr/bin/env bash
# The scenario in a real AWS account (D10, rung 4): a stack of its own, the same
# driver, and everything removed at the end, the kept table too. It looks first
# for what is missing and names all of it.
#
#   AWS_PROFILE or AWS_* credentials   of an account to spend a few cents in
#   AWS_REGION                         where
#   POSTERN_TUNNEL=https://...         leads to 127.0.0.1:POSTERN_TUNNEL_PORT, so
#                                      that functions reach the played platforms
#   POSTERN_CLOUD_TEST=yes             that you mean it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
unset AWS_ENDPOINT_URL
missing=()
[ "${POSTERN_CLOUD_TEST:-}" = yes ] || missing+=("consent: POSTERN_CLOUD_TEST=yes, since it makes things that cost money")
[ -n "${AWS_REGION:-}${AWS_DEFAULT_REGION:-}${AWS_PROFILE:-}" ] || missing+=("a region: AWS_REGION, or AWS_PROFILE with one")
[ -n "${AWS_PROFILE:-}${AWS_ACCESS_KEY_ID:-}${AWS_WEB_IDENTITY_TOKEN_FILE:-}${AWS_CONTAINER_CREDENTIALS_FULL_URI:-}" ] || missing+=("credentials: AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret")
[[ ${POSTERN_TUNNEL:-} == https://* ]] || missing+=("a tunnel: POSTERN_TUNNEL=https://..., leading to POSTERN_TUNNEL_PORT on this machine's loopback")
[ -n "${POSTERN_TUNNEL_PORT:-}" ] || missing+=("the tunnel's end: POSTERN_TUNNEL_PORT")
if [ ${#missing[@]} -gt 0 ]; then
	echo "make cloud-test cannot run here. Missing:" >&2
	printf '  - %s\n' "${missing[@]}" >&2
	exit 1
fi
infra/tools/install.sh sam
sam="env SAM_CLI_TELEMETRY=0 .tools/sam/bin/sam" python=.tools/sam/bin/python
$python -c 'import boto3; print("account", boto3.client("sts").get_caller_identity()["Account"])' ||
	{ echo "make cloud-test cannot run here: these credentials do not work" >&2; exit 1; }

stack=postern-test-$(date +%s)
work=$(mktemp -d)
ended() {
	local code=$?
	[ "$code" -eq 0 ] || $python infra/emulate/logs.py "$stack" >&2 || true
	$python infra/cloud/remove.py "$stack" || echo "something of $stack may be left: see above" >&2
	rm -rf "$work"
	exit "$code"
}
trap ended EXIT

$sam build
go run ./infra/emulate/devsecrets | $python infra/emulate/seed.py --prefix "$stack" \
	"$POSTERN_TUNNEL/slack" "$POSTERN_TUNNEL/feishu" "$POSTERN_TUNNEL/github" "$POSTERN_TUNNEL/model" >"$work/secrets.json"
arn() { $python -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$work/secrets.json" "$1"; }
$sam deploy --stack-name "$stack" --resolve-s3 --capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND --no-confirm-changeset \
	--parameter-overrides LogLevel=debug LogRetentionDays=1 Model=scripted:demo SlackSecretArn="$(arn slack)" \
	FeishuSecretArn="$(arn feishu)" GithubSecretArn="$(arn github)" ModelSecretArn="$(arn model)"
$python infra/emulate/addresses.py "$stack" cloud >"$work/addresses.json"
go run ./tests/e2e -addresses "$work/addresses.json" -platforms "127.0.0.1:$POSTERN_TUNNEL_PORT" -nap 95 -patience 300s

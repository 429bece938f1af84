#!/usr/bin/env bash
# The emulated scenario on LocalStack (D10, rung 4). It looks first for what is
# missing, names all of it, and leaves nothing behind. Where LocalStack's plan
# lacks something the deployment needs, the way round is said at the start: no
# part is shown green that did not run.
#
#   POSTERN_LOCALSTACK_IMAGE      another image; after 4.14.0 with a token
#   LOCALSTACK_AUTH_TOKEN         of a plan with Lambda, DynamoDB, SQS, Scheduler,
#                                 Secrets Manager, CloudFormation
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
image=${POSTERN_LOCALSTACK_IMAGE:-localstack/localstack:4.14.0}

missing=()
platforms=
if ! command -v docker >/dev/null; then
	missing+=("Docker: no docker command on this machine")
elif ! docker info >/dev/null 2>&1; then
	missing+=("Docker: the command is here, but no engine answers (docker info)")
elif [ "$(uname -s)" = Linux ]; then
	# Functions run in containers of their own and reach this machine by the
	# bridge's address, which no other machine does.
	platforms=$(docker network inspect bridge --format '{{(index .IPAM.Config 0).Gateway}}' 2>/dev/null || true)
	[ -n "$platforms" ] || missing+=("Docker: its network \"bridge\" has no address that functions could reach the played platforms by")
fi
[ "$(uname -s)" = Linux ] || missing+=("Linux: elsewhere Docker runs in a machine of its own, and its containers do not reach the played platforms")
newer=$(printf '%s\n' 4.14.0 "${image##*:}" | sort -V | tail -n 1)
if [ "$newer" != 4.14.0 ] && [ -z "${LOCALSTACK_AUTH_TOKEN:-}" ]; then
	missing+=("a token: images after 4.14.0 need LOCALSTACK_AUTH_TOKEN (a plan with Lambda, DynamoDB, SQS, Scheduler, Secrets Manager, CloudFormation)")
fi
if [ ${#missing[@]} -gt 0 ]; then
	echo "make localstack cannot run here. Missing:" >&2
	printf '  - %s\n' "${missing[@]}" >&2
	exit 1
fi
cat <<'SAID'
LocalStack lacks, on the plans that this runs with:
  - the HTTP API (apigatewayv2 needs the Base plan): functions are invoked directly, with the event an HTTP API would make
  - schedules: it makes them and never fires them; `postern wake --due` is the ticker, and the reconciler's clock is left out
  - honest stacks: a type it does not have is CREATE_COMPLETE with the physical id "unknown"; such are listed after the deployment
SAID

read -r port < <(python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
container=$(docker run --detach --rm --publish "127.0.0.1:$port:4566" \
	--env LAMBDA_DOCKER_NETWORK=bridge --env LAMBDA_IGNORE_ARCHITECTURE=1 --env LOCALSTACK_AUTH_TOKEN \
	--volume /var/run/docker.sock:/var/run/docker.sock "$image")
trap 'docker stop "$container" >/dev/null 2>&1 || true' EXIT
endpoint=http://127.0.0.1:$port
for _ in $(seq 120); do
	curl -fs "$endpoint/_localstack/health" >/dev/null && break
	docker inspect "$container" >/dev/null 2>&1 || { echo "LocalStack ended by itself" >&2; exit 1; }
	sleep 1
done
code=0
POSTERN_EMULATE_ENDPOINT=$endpoint POSTERN_EMULATE_PLATFORMS=$platforms infra/emulate/run.sh --invoke "$@" || code=$?
AWS_ENDPOINT_URL=$endpoint AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test \
	.tools/stack/bin/python infra/localstack/unknown.py postern || true
exit "$code"

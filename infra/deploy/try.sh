#!/usr/bin/env bash
# Tries the guided deployment and what operates it on an emulated account, with
# answers from a pipe: deployed from nothing, again with everything kept, looked
# at by doctor and status, its door tried, a key rotated, dead letters redriven,
# uninstalled (U4, U8, D3, D4, D7). The tries themselves are in tests/deployed.
#
#   infra/deploy/try.sh [BUILT]      BUILT is a folder that sam build made for
#                                    this machine; without one it is built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$PWD/.tools
infra/tools/install.sh sam stack >/dev/null
work=$(mktemp -d)
. infra/emulate/ministack.sh
pids=
ended() {
	local code=$?
	if [ "$code" -ne 0 ]; then
		if [ -n "$emulator" ]; then
			"$tools/stack/bin/python" infra/emulate/logs.py trial 20 >&2 || true
			tail -n 40 "$work/ministack.log" >&2
		fi
		[ ! -f "$work/build.out" ] || tail -n 40 "$work/build.out" >&2
	fi
	for pid in $pids; do kill "$pid" 2>/dev/null || true; done
	stop_ministack
	rm -rf "$work"
	exit "$code"
}
trap ended EXIT

export POSTERN_TRY_BUILT=${1:-.aws-sam/local} POSTERN_TRY_API=d1e2f3a4 POSTERN_TRY_STACK=trial
if [ ! -f "$POSTERN_TRY_BUILT/template.yaml" ]; then
	GOARCH=amd64 SAM_CLI_TELEMETRY=0 "$tools/sam/bin/sam" build --build-dir "$POSTERN_TRY_BUILT" >"$work/build.out" 2>&1
fi
read -r port front < <(ports 2)
start_ministack "$port" false
go build -o "$work/front" ./infra/emulate/front
go build -o "$work/postern" ./cmd/postern
go build -o "$work/deployed" ./tests/deployed
"$work/front" -listen "127.0.0.1:$front" -to "$AWS_ENDPOINT_URL/_aws/execute-api/$POSTERN_TRY_API/\$default" &
pids="$pids $!"
mkdir "$work/own"
export POSTERN_SAM=$PWD/infra/deploy/emulated-sam.sh
"$work/deployed" -stack "$POSTERN_TRY_STACK" -url "http://127.0.0.1:$front" -postern "$work/postern" -tmp "$work/own" -root .

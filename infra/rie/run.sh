#!/usr/bin/env bash
# Starts each function's real package under the Lambda Runtime Interface
# Emulator and lets it answer its sample event from events/, signed anew, and
# then what the function before it left (D10). One request at a time: a second
# in flight crashes that emulator. Loopback only; ends what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$PWD/.tools
infra/tools/install.sh rie stack
work=$(mktemp -d)
. infra/emulate/ministack.sh
ended() {
	local code=$?
	stop_ministack
	rm -rf "$work"
	exit "$code"
}
trap ended EXIT

for f in Slack Feishu Github Gate Dispatch Turn Deliver Wake Api; do
	make --no-print-directory --silent "build-${f}Function" GOARCH=amd64 ARTIFACTS_DIR="$work/built/${f}Function"
done
go build -o "$work/postern" ./cmd/postern

read -r port < <(ports 1)
start_ministack "$port" false
go run ./infra/emulate/devsecrets | "$tools/stack/bin/python" infra/rie/world.py >"$work/env.json"
"$work/postern" policy apply infra/policy/dev.yaml --table postern --yes
mkdir "$work/events"
for e in slack-app_mention feishu-message-mention github-issues-opened; do
	"$work/postern" sign "events/$e.json" >"$work/events/$e.json"
done
"$tools/stack/bin/python" infra/rie/street.py "$tools/rie/aws-lambda-rie" "$work/built" "$work/env.json" "$work/events" 2>"$work/functions.log" || {
	echo "--- what the functions logged" >&2
	tail -n 80 "$work/functions.log" >&2
	exit 1
}

#!/usr/bin/env bash
# Runs a command beside a fresh dynoxide in memory on a free port of 127.0.0.1:
#
#   infra/tools/with-dynoxide.sh go test ./shared/store/dynamo/...
#
# The command finds it by POSTERN_DYNAMO_ENDPOINT. Tests that need it fail
# instead of being skipped. One server for one package of tests: dynoxide slows
# down with each transaction of its last ten minutes.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: with-dynoxide.sh COMMAND [ARGUMENT...]" >&2; exit 2; }
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
"$here/dynoxide.sh" >&2
bin="$here/../../.tools/dynoxide/bin/dynoxide"
log="$(mktemp)"
server=
stop() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -f "$log"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A port that nobody holds now may be taken a moment later: then the server
# ends, and another port is tried.
start() {
  local port
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 12000))
    if answers "$port"; then continue; fi
    "$bin" --host 127.0.0.1 --port "$port" >"$log" 2>&1 &
    server=$!
    for _ in $(seq 200); do
      kill -0 "$server" 2>/dev/null || break
      if answers "$port" && kill -0 "$server" 2>/dev/null; then
        export POSTERN_DYNAMO_ENDPOINT="http://127.0.0.1:$port"
        return 0
      fi
      sleep 0.05
    done
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  done
  echo "with-dynoxide.sh: no server came up:" >&2
  cat "$log" >&2
  return 1
}
start

export POSTERN_REQUIRE_DYNAMO=1
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL AWS_ENDPOINT_URL_DYNAMODB
code=0
"$@" || code=$?
exit "$code"

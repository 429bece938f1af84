#!/usr/bin/env bash
# Runs the benchmarks and prints them beside their goals (Q6).
#
#   infra/tools/bench.sh                      a quick look, some minutes
#   BENCHTIME=2s COUNT=6 infra/tools/bench.sh for a release; the best of each is shown
#   POSTERN_BENCH_ITEMS=50000 ...             fewer stored items
#   PEERS=0 ...                               without cedar-go and OPA
#
# The raw output goes to dist/bench.txt, for benchstat. A goal that is missed
# is printed and fails nothing: machines differ, and a busy one lies.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cd "$root"
time="${BENCHTIME:-200ms}"
count="${COUNT:-3}"
mkdir -p dist
out="$root/dist/bench.txt"
{
  echo "# $(date -u +%Y-%m-%dT%H:%MZ), $(git rev-parse --short HEAD 2>/dev/null || echo 'no commit'), load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown)"
} >"$out"

run() { echo "$*" >&2; "$@" | tee -a "$out" >&2; }

run go test -run '^$' -bench 'Evaluate|NewCall|Admit' -benchtime "$time" -count "$count" ./shared/domain/permission ./shared/domain/policy
run go test -run '^$' -bench 'Receive' -benchtime "$time" -count "$count" ./shared/edge/slack ./shared/edge/feishu ./shared/edge/github
run go test -run '^$' -bench 'Ingress' -benchtime "$time" -count "$count" ./tests/bench
run go test -run '^$' -bench 'InboxPage|Asleep' -benchtime "$time" -count "${COUNT:-1}" -timeout 0 ./tests/bench
run go test -run '^$' -bench 'FunctionStart' -benchtime 20x -count "$count" ./tests/bench
run go test -run '^$' -bench 'RoundTrips' -benchtime 1000x -count "${COUNT:-1}" -timeout 0 ./tests/bench
run go test -run '^$' -bench 'Items' -benchtime 2000x -count "${COUNT:-1}" -timeout 0 ./tests/bench
if [ "${PEERS:-1}" = 1 ]; then
  (cd tests/bench/peers && run go test -run '^$' -bench . -benchtime "$time" -count "$count" ./...) || echo "left out: the peers did not build" >&2
fi
go run ./infra/tools/benchtable "$out"

#!/usr/bin/env bash
# Runs go test with the given arguments and prints one line of counts; all the
# output only where something failed.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
code=0
go test -count=1 -v "$@" >"$log" 2>&1 || code=$?
[ "$code" -eq 0 ] || cat "$log"
count() { grep -cE "^ *--- $1:" "$log" || true; }
grep -E '^ *--- SKIP:' "$log" || true
echo "$(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
exit "$code"

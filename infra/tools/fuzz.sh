#!/usr/bin/env bash
# Runs every fuzz target of the project for a while (Q3). Their seeds run with
# every go test anyway.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
time=${1:-10s}
count=0
while IFS=: read -r file _ line; do
	name=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]+).*/\1/' <<<"$line")
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x "./$(dirname "$file")" >/tmp/fuzz.$$ 2>&1 ||
		{ cat /tmp/fuzz.$$; exit 1; }
	count=$((count + 1))
	echo "ok $(dirname "$file") $name: $(grep -oE 'execs: [0-9]+' /tmp/fuzz.$$ | tail -n 1)"
done < <(git grep -n '^func Fuzz' -- '*_test.go')
rm -f /tmp/fuzz.$$
echo "$count fuzz targets"
[ "$count" -gt 0 ]

#!/usr/bin/env bash
# Brings the tools that the checks of a deployment need, at pinned versions,
# into one folder that git ignores and that is kept between runs (D10).
#
#   infra/tools/install.sh [sam|stack|rie]...     all where none is named
#
#   sam       SAM CLI, cfn-lint, the transform     (Python)
#   stack     ministack, the emulated account      (Python)
#   rie       Lambda Runtime Interface Emulator    (Go)
#
# dynoxide.sh brings DynamoDB for the conformance suite in the same way. A tool
# that cannot be had ends the run with its name.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=$here/../../.tools
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)

rie_version=v0.0.0-20261030222936-bef5c4ba774d

# fail TOOL WHY: the one way a tool is missing.
fail() {
	echo "tool $1 cannot be had: $2" >&2
	exit 1
}

# have TOOL: looks whether its stamp says what is wanted now.
have() { [ "$(cat "$tools/$1/.installed" 2>/dev/null)" = "$2" ]; }

# venv NAME: makes a virtual environment of exactly NAME.lock.
venv() {
	local name=$1 want log
	want=$(sha256sum "$here/$name.lock" | cut -d' ' -f1)
	have "$name" "$want" && return
	command -v python3 >/dev/null || fail "$name" "python3 is not on this machine"
	log=$tools/$name.log
	rm -rf "${tools:?}/$name"
	python3 -m venv "$tools/$name" >"$log" 2>&1 || fail "$name" "python3 cannot make a virtual environment ($log)"
	"$tools/$name/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/$name.lock" >>"$log" 2>&1 ||
		fail "$name" "pip failed ($log): $(tail -n 1 "$log")"
	echo "$want" >"$tools/$name/.installed"
}

sam() {
	venv sam
	SAM_CLI_TELEMETRY=0 "$tools/sam/bin/sam" --version
	"$tools/sam/bin/cfn-lint" --version
}

stack() {
	venv stack
	echo "ministack $("$tools/stack/bin/python" -c 'import importlib.metadata as m; print(m.version("ministack"))')"
}

rie() {
	if ! have rie "$rie_version"; then
		command -v go >/dev/null || fail rie "go is not on this machine"
		mkdir -p "$tools/rie"
		GOFLAGS= GOBIN=$tools/rie go install \
			"github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$rie_version" >"$tools/rie.log" 2>&1 ||
			fail rie "go install failed ($tools/rie.log): $(tail -n 1 "$tools/rie.log")"
		echo "$rie_version" >"$tools/rie/.installed"
	fi
	echo "aws-lambda-rie $rie_version"
}

[ $# -gt 0 ] || set -- sam stack rie
for tool in "$@"; do
	case $tool in
	sam | stack | rie) "$tool" ;;
	*) fail "$tool" "no such tool here" ;;
	esac
done

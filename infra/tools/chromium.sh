#!/usr/bin/env bash
# Runs a command beside Chromium and axe-core, for the tests of the panel in a
# real browser (Q5):
#
#   infra/tools/chromium.sh go test -count=1 ./tests/browser/...
#
# Brings Debian's chromium by apt where it is missing, for root only, and
# axe-core (MPL-2.0) from npm into .tools/axe-core, which git ignores and which
# is kept between runs. Tests that need them fail instead of being skipped.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: chromium.sh COMMAND [ARGUMENT...]" >&2; exit 2; }

axe_version=4.14.1
axe_sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
tools="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.tools"

# fail TOOL WHY: the one way a tool is missing.
fail() {
  echo "tool $1 cannot be had: $2" >&2
  exit 1
}

# debian PACKAGE: Debian's own, where we may.
debian() {
  command -v apt-get >/dev/null || fail "$1" "it is not on this machine, and there is no apt-get"
  [ "$(id -u)" = 0 ] || fail "$1" "it is not on this machine, and only root may install it: apt-get install $1"
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >&2 ||
    fail "$1" "apt-get failed"
}

command -v chromium >/dev/null || debian chromium

axe="$tools/axe-core/axe.min.js"
right() { echo "$axe_sha256  $axe" | sha256sum --check --status 2>/dev/null; }
if ! right; then
  command -v npm >/dev/null || debian npm
  mkdir -p "$tools/axe-core"
  (cd "$tools/axe-core" && npm pack --silent "axe-core@$axe_version" >/dev/null &&
    tar -xzf "axe-core-$axe_version.tgz" --strip-components=1 package/axe.min.js package/LICENSE &&
    rm "axe-core-$axe_version.tgz") || fail axe-core "npm failed"
  right || fail axe-core "version $axe_version is not what it was"
fi

export POSTERN_REQUIRE_BROWSER=1 POSTERN_AXE="$axe"
exec "$@"

#!/usr/bin/env bash
# Brings dynoxide, the DynamoDB engine that the conformance suite runs against
# (D10), into .tools/dynoxide. Needs cargo; takes about two minutes the first
# time and nothing afterwards. Prints the version that is there.
set -euo pipefail

version=3.2.0
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.tools/dynoxide"

# The program's own --version says 1.5.0 whatever it is; cargo's record is true.
installed() { grep -o '^"dynoxide-rs [^ ]*' "$root/.crates.toml" 2>/dev/null | tr -d '"'; }

if [ ! -x "$root/bin/dynoxide" ] || [ "$(installed)" != "dynoxide-rs $version" ]; then
  command -v cargo >/dev/null || { echo "dynoxide.sh: cargo is needed to build dynoxide" >&2; exit 1; }
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    cargo install dynoxide-rs --version "$version" --locked \
    --no-default-features --features native-sqlite,http-server,cli --root "$root" >&2
fi
installed

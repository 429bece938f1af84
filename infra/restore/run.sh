#!/usr/bin/env bash
# Brings a deployment's table back to an earlier moment. restore.py says how.
#
#   infra/restore/run.sh STACK --at 2026-11-30T09:15:00Z --yes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
infra/tools/install.sh sam >&2
exec .tools/sam/bin/python infra/restore/restore.py "$@"

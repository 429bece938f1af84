#!/usr/bin/env bash
# sam, for a deployment to ministack (try.sh). It builds nothing where the build
# is given, adds what only an emulator needs, and makes the routes that ministack
# leaves out. run.sh knows nothing of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
case $1 in
build)
	rm -rf .aws-sam/build
	cp -R "${POSTERN_TRY_BUILT:?}" .aws-sam/build
	;;
deploy)
	shift
	.tools/sam/bin/sam deploy --tags ms-custom-id="${POSTERN_TRY_API:?}" "$@" Timing=emulator LogLevel=debug
	.tools/stack/bin/python infra/emulate/routes.py "${POSTERN_TRY_STACK:?}"
	;;
*)
	exec .tools/sam/bin/sam "$@"
	;;
esac

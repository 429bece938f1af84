# Starts and ends one fresh emulator on loopback. Sourced; wants $tools and an
# empty folder $work.

emulator=

# ports N: free ones on loopback.
ports() {
	"$tools/stack/bin/python" -c '
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])' "$1"
}

# start_ministack PORT AUTH: ready when it returns, with AWS_* set for it. The
# functions it runs inherit its environment, so it gets a bare one.
start_ministack() {
	export AWS_ENDPOINT_URL=http://127.0.0.1:$1 AWS_DEFAULT_REGION=us-east-1 AWS_REGION=us-east-1
	export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
	unset AWS_PROFILE AWS_SESSION_TOKEN
	mkdir -p "$work/s3" "$work/tmp"
	setsid env -i PATH="$PATH" HOME="$work" TMPDIR="$work/tmp" S3_DATA_DIR="$work/s3" \
		AWS_ENDPOINT_URL="$AWS_ENDPOINT_URL" AWS_DEFAULT_REGION="$AWS_REGION" AWS_REGION="$AWS_REGION" \
		AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AUTH="$2" \
		BIND_HOST=127.0.0.1 GATEWAY_PORT="$1" MINISTACK_HOST=localhost LAMBDA_EXECUTOR=local \
		IOT_MTLS_ENABLED=0 SFTP_ENABLED=0 \
		"$tools/stack/bin/ministack" >"$work/ministack.log" 2>&1 &
	emulator=$!
	for _ in $(seq 600); do
		curl -fs "$AWS_ENDPOINT_URL/_ministack/health" >/dev/null && return
		kill -0 "$emulator" 2>/dev/null || break
		sleep 0.1
	done
	echo "ministack did not start: $(tail -n 5 "$work/ministack.log")" >&2
	return 1
}

# stop_ministack: it leads a process group of its own, its functions included.
stop_ministack() {
	[ -n "$emulator" ] || return 0
	kill -- "-$emulator" 2>/dev/null || true
	wait "$emulator" 2>/dev/null || true
}

#!/usr/bin/env bash
# Deploys template.yaml with the real binaries to a fresh emulator on this
# machine, runs the scenario against it, looks it over, and ends the emulator
# (D10).
#
#   infra/emulate/run.sh [--auth] [--invoke] [COMMAND ARG...]
#
# COMMAND is the driver; without one, tests/e2e. It gets POSTERN_ADDRESSES, a
# file that says where everything is (addresses.py), and the emulator's AWS_*
# variables. --auth enforces every function's role, and the agent sleeps long
# enough for a schedule. --invoke goes round the HTTP API and the schedules, for
# an emulator that has neither. POSTERN_EMULATE_BUILT=1 takes what was built
# before. POSTERN_EMULATE_ENDPOINT names an emulator that runs already, and
# POSTERN_EMULATE_PLATFORMS an address of this machine that its functions reach
# (infra/localstack). But for that nothing listens beyond loopback, and nothing
# outlives the run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=infra/emulate
tools=$PWD/.tools
stack=postern
api=a1b2c3d4 # the form that ministack gives: eight hex digits
host=$api.execute-api.localhost # what functions see as theirs
model=${POSTERN_EMULATE_MODEL:-scripted:demo}
platforms=${POSTERN_EMULATE_PLATFORMS:-127.0.0.1}

auth=false invoke=false schedule=false
while true; do
	case ${1:-} in
	--auth) auth=true ;;
	--invoke) invoke=true ;;
	*) break ;;
	esac
	shift
done
if [ $# -eq 0 ]; then
	set -- go run ./tests/e2e
	if [ $auth = true ]; then # long enough asleep for a schedule, not a delayed message (W3)
		schedule=true
		set -- "$@" -nap 95 -patience 200s
	fi
fi

infra/tools/install.sh sam stack
export SAM_CLI_TELEMETRY=0
python=$tools/stack/bin/python
work=$(mktemp -d)
. $here/ministack.sh
pids=()
ended() {
	local code=$?
	if [ "$code" -ne 0 ] && [ -n "$emulator" ]; then
		echo "--- what the functions logged" >&2
		"$python" $here/logs.py $stack >&2 || true
		echo "--- the emulator's last lines" >&2
		tail -n 40 "$work/ministack.log" >&2
	fi
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	stop_ministack
	rm -rf "$work"
	exit "$code"
}
trap ended EXIT

# quietly COMMAND...: shows what it printed only if it fails.
quietly() { "$@" >"$work/quiet.log" 2>&1 || { tail -n 60 "$work/quiet.log" >&2; return 1; }; }

if [ -z "${POSTERN_EMULATE_BUILT:-}" ]; then
	GOARCH=amd64 quietly "$tools/sam/bin/sam" build --build-dir .aws-sam/local
fi

read -r port front slack feishu github llm < <(ports 6)
if [ -n "${POSTERN_EMULATE_ENDPOINT:-}" ]; then
	kind=localstack
	export AWS_ENDPOINT_URL=$POSTERN_EMULATE_ENDPOINT AWS_DEFAULT_REGION=us-east-1 AWS_REGION=us-east-1
	export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test
	unset AWS_PROFILE AWS_SESSION_TOKEN
else
	kind=ministack
	start_ministack "$port" $auth
fi
echo "$kind answers at $AWS_ENDPOINT_URL, roles enforced: $auth"

secrets=$(go run ./$here/devsecrets | "$python" $here/seed.py \
	"http://$platforms:$slack" "http://$platforms:$feishu" "http://$platforms:$github" "http://$platforms:$llm")
arn() { "$python" -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$secrets" "$1"; }

# The emulator judges every schedule as of the group "default": a copy of the
# template, for its sake only, allows that group too.
built=.aws-sam/local/template.yaml
if [ $auth = true ]; then
	sed 's#:schedule/${ScheduleGroup}/\*#:schedule/*/*#' $built >.aws-sam/local/template-auth.yaml
	cmp -s $built .aws-sam/local/template-auth.yaml && { echo "the schedule policy is not where it was" >&2; exit 1; }
	built=.aws-sam/local/template-auth.yaml
fi

quietly "$tools/sam/bin/sam" deploy --template-file $built --stack-name $stack --region "$AWS_REGION" --resolve-s3 \
	--capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND --no-confirm-changeset --no-progressbar \
	--tags ms-custom-id=$api --parameter-overrides Timing=emulator LogLevel=debug Model="$model" \
	PublicUrl="http://127.0.0.1:$front" SlackSecretArn="$(arn slack)" \
	FeishuSecretArn="$(arn feishu)" GithubSecretArn="$(arn github)" ModelSecretArn="$(arn model)"
echo "stack $stack deployed"

export POSTERN_ADDRESSES=$work/addresses.json
"$python" $here/addresses.py $stack $kind "api=http://127.0.0.1:$front" \
	"host=$host" "auth=$auth" "invoke=$invoke" "schedule=$schedule" "secrets=$secrets" "log=$work/ministack.log" \
	"stand_ins={\"slack\":\"$platforms:$slack\",\"feishu\":\"$platforms:$feishu\",\"github\":\"$platforms:$github\",\"model\":\"$platforms:$llm\"}" \
	>"$POSTERN_ADDRESSES"

go build -o "$work/front" ./$here/front
if [ $invoke = true ]; then
	names=$("$python" -c 'import json, sys; f = json.load(open(sys.argv[1]))["functions"]; print(*[f[n + "Function"] for n in ("Slack", "Feishu", "Github", "Api")], sep=",")' "$POSTERN_ADDRESSES")
	"$work/front" -listen "127.0.0.1:$front" -invoke "$AWS_ENDPOINT_URL" -host $host -functions "$names" &
	pids+=($!)
	go build -o "$work/postern" ./cmd/postern
	name=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["outputs"]["TableName"])' "$POSTERN_ADDRESSES")
	while sleep 2; do "$work/postern" wake --due --table "$name" >/dev/null || true; done &
	pids+=($!)
else
	"$python" $here/routes.py $stack
	"$work/front" -listen "127.0.0.1:$front" -to "$AWS_ENDPOINT_URL/_aws/execute-api/$api/\$default" &
	pids+=($!)
fi
until (exec 3<>"/dev/tcp/127.0.0.1/$front") 2>/dev/null; do sleep 0.1; done

timeout 900 "$@"
"$python" $here/check.py "$POSTERN_ADDRESSES"

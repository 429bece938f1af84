#!/usr/bin/env bash
# Deploys Postern into your AWS account, asking what it must (U4). Run it again
# to change an answer, to connect a platform, or to deploy a newer version: what
# is there is offered and kept.
#
#   infra/deploy/run.sh [STACK]      AWS_REGION or AWS_PROFILE say where
#
# Keys go from the keyboard to Secrets Manager and nowhere else (postern setup).
# A new stack is deployed twice: a platform's app can only be made when the
# address is known, and the functions can only be given its keys afterwards.
# Answers may come from a pipe, one a line; then nothing is confirmed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
stack=${1:-postern}
export SAM_CLI_TELEMETRY=0
sam=${POSTERN_SAM:-.tools/sam/bin/sam} # another one is for trying this (try.sh)
fail() { echo "deploy: $*" >&2; exit 1; }
case $stack in
[A-Za-z]*) case $stack in *[!A-Za-z0-9-]*) fail "$stack is no name of a stack: letters, digits and hyphens" ;; esac ;;
*) fail "$stack is no name of a stack: it begins with a letter" ;;
esac
command -v go >/dev/null || fail "Go is not on this machine; it builds the functions"
infra/tools/install.sh sam >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/postern" ./cmd/postern

look() { .tools/sam/bin/python infra/deploy/known.py "$stack" >"$work/known"; } # what is there now
known() { sed -n "s/^$1=//p" "$work/known"; }

# ask QUESTION DEFAULT: the answer in $answer; "-" empties it.
ask() {
	printf '%s%s: ' "$1" "${2:+ [$2]}" >&2
	IFS= read -r answer || fail "the answers ended before the questions did"
	answer=${answer:-$2}
	if [ "$answer" = - ]; then answer=; fi
}

yes() { # yes QUESTION y|n
	if [ "$2" = y ]; then ask "$1 [Y/n]" ''; else ask "$1 [y/N]" ''; fi
	case ${answer:-$2} in [yY]*) return 0 ;; esac
	return 1
}

is() { printf '%s="%s"' "$1" "$2"; } # quoted, else sam takes no empty value

deploy() { # deploy KEY="VALUE"...
	local input=/dev/null how="--no-confirm-changeset --no-progressbar" # sam would read the answers that follow
	if [ -t 0 ]; then input=/dev/stdin how=--confirm-changeset; fi
	# shellcheck disable=SC2086 # two options or one
	"$sam" deploy --template-file .aws-sam/build/template.yaml --stack-name "$stack" --region "$(known region)" --resolve-s3 \
		--capabilities CAPABILITY_IAM CAPABILITY_AUTO_EXPAND --no-fail-on-empty-changeset $how --parameter-overrides "$@" <$input >&2
}

title() { case $1 in slack) echo Slack ;; feishu) echo "Feishu or Lark" ;; github) echo GitHub ;; model) echo "The model's provider" ;; esac; }
parameter() { case $1 in slack) echo SlackSecretArn ;; feishu) echo FeishuSecretArn ;; github) echo GithubSecretArn ;; model) echo ModelSecretArn ;; esac; }
api() { case $1 in slack) echo "${POSTERN_SLACK_API:-}" ;; github) echo "${POSTERN_GITHUB_API:-}" ;; esac; } # GovSlack, GitHub Enterprise Server

look
status=$(known status)
echo "Stack $stack in account $(known account), $(known region): ${status:-not there yet}." >&2

# model is what the stack has; a new one is offered the template's own.
model() {
	local id
	id=$(known BedrockModel)
	if [ -z "$status" ]; then id=$(awk '/^  BedrockModel:/ { here = 1 } here && /Default:/ { print $2; exit }' template.yaml); fi
	known Model | grep . || printf '%s' "${id:+bedrock:$id}"
}

# No answer may end the quotes that sam reads it in.
plain() { case $answer in *[\"\\]* | *' '*) fail "$answer: no quotes, backslashes or spaces here" ;; esac; }

ask "Where alarms go (e-mail; - for the dashboard only)" "$(known AlarmEmail)"
plain
email=$answer
ask "An address of your own (https://..., - for the API's)" "$(known PublicUrl)"
plain
url=${answer%/}
ask "Model of hosted agents (bedrock:..., anthropic:..., openai:...; - for none)" "$(model)"
plain
other=$answer bedrock=
case $answer in bedrock:*) other= bedrock=${answer#bedrock:} ;; esac
wanted=
for name in slack feishu github; do
	usual=n
	if [ -n "$(known "$(parameter $name)")" ]; then usual=y; fi
	if yes "Connect $(title $name)?" $usual; then wanted="$wanted $name"; fi
done
case $other in anthropic:* | openai:*) wanted="$wanted model" ;; esac

"$sam" build >&2
if [ -z "$status" ]; then
	echo "First the stack by itself, so that its address is known." >&2
	deploy "$(is AlarmEmail "$email")" "$(is PublicUrl "$url")" "$(is Model '')" "$(is BedrockModel '')"
	look
fi

set -- "$(is AlarmEmail "$email")" "$(is PublicUrl "$url")" "$(is Model "$other")" "$(is BedrockModel "$bedrock")"
for name in slack feishu github model; do
	arn=
	case "$wanted " in *" $name "*)
		arn=$(known "$(parameter $name)")
		if [ -z "$arn" ] || yes "$(title $name) is connected. Change its keys?" n; then
			line=$("$work/postern" setup $name --stack "$stack" --api "$(api $name)")
			arn=${line#*=}
		fi
		;;
	esac
	set -- "$@" "$(is "$(parameter $name)" "$arn")"
done
echo "Now the stack with all of it." >&2
deploy "$@"
look
table=$(known output.TableName) panel=$(known output.Panel)

if [ "$("$work/postern" policy history --table "$table" --json)" = '[]' ]; then
	echo "No policy is saved: nobody may start work, and nobody may answer. infra/policy/example.yaml says what each key means." >&2
	ask "Policy file to apply now (empty: later)" ''
	if [ -n "$answer" ]; then "$work/postern" policy apply "$answer" --table "$table" --yes >&2; fi
fi

cat >&2 <<-SAID

	Panel              $panel
	Slack's webhook    $(known output.SlackWebhook)
	Feishu's webhook   $(known output.FeishuWebhook)
	GitHub's webhook   $(known output.GithubWebhook)
	Table              $table (it stays when the stack is deleted)

SAID
"$work/postern" login --table "$table" --url "$panel" >&2
echo >&2
"$work/postern" doctor --stack "$stack" >&2 ||
	echo "The stack is deployed; what doctor found is left to do. Look again: postern doctor --stack $stack" >&2

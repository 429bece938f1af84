package policy_test

import "strings"

// sample is a policy file with what Parse says of it: nothing, or problems,
// each "LINE: KEY: words".
type sample struct {
	name, text string
	want       []string
	// blind: an editor's schema cannot see it.
	blind bool
}

// source is a Source that is fine, whose lines begin at 1, and which samples
// add to or change.
const source = `sources:
  - name: chat
    platform: slack
    accounts: [T1]
    scopes:
      - name: C1
        receive: all
    listed: [slack:T1/U1]
`

func changed(from, to string) string {
	if !strings.Contains(source, from) {
		panic("no such text: " + from)
	}
	return strings.Replace(source, from, to, 1)
}

var good = []sample{
	{name: "the least", text: "owners: []\n"},
	{name: "no accept mode", text: source},
	{name: "off is a word", text: "accept: off\n" + source},
	{name: "no list", text: changed("    listed: [slack:T1/U1]\n", "")},
	{name: "an empty list", text: changed("[slack:T1/U1]", "[]")},
	{name: "cells of a row that receives everything", text: changed("all\n", "all\n        listed_unnamed: ignore\n        unlisted_named: explicit\n        unlisted_unnamed: inferred\n")},
	{name: "the cell of a row that receives mentions", text: changed("        receive: all\n", "        unlisted_named: inferred\n")},
	{name: "other and direct", text: changed("all\n", "all\n      - name: other\n        receive: mentions\n        unlisted_named: inferred\n      - name: direct\n        unlisted_named: explicit\n")},
	{name: "a row that is off", text: changed("all", "off")},
	{name: "two Sources share an account", text: source + strings.NewReplacer("sources:\n", "", "chat", "chat2", "C1", "C2").Replace(source)},
	{name: "empty approvers", text: "queues:\n  - name: a\n    approvers: []\n"},
	{name: "expiries", text: "queues:\n  - name: a\n    expiry: never\n  - name: b\n    expiry: 36h30m\n  - name: c\n    expiry: 365d\n"},
	{name: "the default queue need not be there", text: source + "    queue: default\n"},
	{name: "in brackets", text: `{"owners": ["panel:ada", "github:11"], "queues": [{"name": "a", "bindings": [{"surface": "github", "account": "a/b", "channel": "1"}]}]}`},
	{name: "a GitHub Source", text: "sources:\n  - name: code\n    platform: github\n    accounts: [acme, acme/shop.js]\n    scopes:\n      - name: issues\n      - name: ci\n        receive: all\n        unlisted_unnamed: inferred\n    listed: [github:583231]\n    bots: ['dependabot[bot]', github:49699333]\n    model: openai:gpt-5-mini\n    mode: auto\n    persona: ops-2\n    tell_refused: true\n"},
}

var bad = []sample{
	{name: "nothing", text: "", want: []string{"1: the file is empty; it takes the keys accept, owners, sources, queues"}},
	{name: "a comment only", text: "# later\n", want: []string{"1: the file is empty"}},
	{name: "not a mapping", text: "- a\n", want: []string{"1: must be a mapping with the keys accept, owners, sources or queues"}},
	{name: "not YAML", text: "owners: []\nqueues: [\n", want: []string{"2: queues: not valid YAML"}, blind: true},
	{name: "a tab", text: "sources:\n\t- name: a\n", want: []string{"2: name: not valid YAML"}, blind: true},
	{name: "a key twice", text: "owners: []\naccept: auto\nowners: [panel:ada]\n", want: []string{`3: owners: not valid YAML: mapping key "owners" already defined`}, blind: true},
	{name: "two documents", text: "owners: []\n---\nowners: [panel:ada]\n", want: []string{"3: a second document"}, blind: true},
	{name: "an anchor", text: "owners: &a [panel:ada]\nqueues:\n  - name: a\n    approvers: *a\n", want: []string{"1: owners: anchors", "4: queues[0].approvers: anchors"}, blind: true},
	{name: "a merge key", text: "<<: {owners: []}\n", want: []string{"1: a key must be plain text"}, blind: true},
	{name: "brackets without end", text: "owners: " + strings.Repeat("[", 1000), want: []string{"1: owners: more than 16 brackets"}, blind: true},
	{name: "nested without end", text: "owners: []\nqueues:\n" + strings.Repeat(" ", 65) + "- a\n", want: []string{"3: queues: indented by more than 64 columns"}, blind: true},
	{name: "a line without end", text: "owners: [panel:" + strings.Repeat("a", 2000) + "]\n", want: []string{"1: owners: the line is longer than 2000 bytes"}, blind: true},
	{name: "an unknown key", text: "owner: [panel:ada]\n", want: []string{"1: owner: unknown key; allowed here: accept, owners, sources or queues"}},
	{name: "version and paused are not the file's", text: "version: 3\npaused: [chat]\n", want: []string{"1: version: unknown key", "2: paused: unknown key"}},
	{name: "a key called -", text: "\"-\": 3\n", want: []string{"1: -: unknown key"}},
	{name: "an unknown key of a row", text: changed("receive:", "recieve:"), want: []string{"7: sources[0].scopes[0].recieve: unknown key; allowed here: name, receive, listed_unnamed, unlisted_named or unlisted_unnamed"}},
	{name: "text for a list", text: "owners: panel:ada\n", want: []string{"1: owners: must be a list ([] for an empty one)"}},
	{name: "a list for text", text: "accept: [auto]\n", want: []string{"1: accept: must be text"}},
	{name: "a number for text", text: changed("chat", "12"), want: []string{"2: sources[0].name: must be text (in quotes if it looks like a number)"}},
	{name: "text for yes or no", text: source + "    tell_refused: yes\n", want: []string{"9: sources[0].tell_refused: must be true or false"}},
	{name: "approvers without a value", text: "queues:\n  - name: a\n    approvers:\n", want: []string{"3: queues[0].approvers: has no value; write a list ([] for an empty one), or leave the key out"}},
	{name: "empty text", text: source + "    queue: ''\n", want: []string{"9: sources[0].queue: is empty"}},
	{name: "an unknown accept mode", text: "accept: always\n", want: []string{`1: accept: "always" is not allowed; write off, observe or auto`}},
	{name: "an owner by name", text: "owners:\n  - panel:ada\n  - ada\n", want: []string{`3: owners[1]: "ada" is not allowed; write a person: slack:TEAM/USER`}},
	{name: "I13 a key as approver", text: "queues:\n  - name: a\n    approvers: ['key:k1']\n", want: []string{"3: queues[0].approvers[0]: \"key:k1\" is not allowed"}},
	{name: "a bot as approver", text: "owners: [slack:T1/B1]\n", want: []string{"1: owners[0]: \"slack:T1/B1\" is not allowed; write slack:TEAM/USER"}},
	{name: "a panel name with a gap", text: "owners: ['panel:a b']\n", want: []string{"1: owners[0]: \"panel:a b\" is not allowed; write panel:NAME"}},
	{name: "a Source without a name", text: changed("name: chat\n    ", ""), want: []string{`2: sources[0].name: "" is not a name`}},
	{name: "a name with a gap", text: changed("chat", "the chat"), want: []string{`2: sources[0].name: "the chat" is not a name; write 1 to 63 of a-z, 0-9, - and _`}},
	{name: "G51 a Source called all", text: changed("chat", "all"), want: []string{`2: sources[0].name: "all" means every one`}},
	{name: "two Sources of one name", text: source + strings.NewReplacer("sources:\n", "", "C1", "C2").Replace(source), want: []string{`9: sources[1].name: "chat" is taken by sources[0]`}, blind: true},
	{name: "two queues of one name", text: "queues:\n  - name: a\n  - name: a\n", want: []string{`3: queues[1].name: "a" is taken by queues[0]`}, blind: true},
	{name: "an unknown platform", text: changed("slack\n", "telegram\n"), want: []string{`3: sources[0].platform: "telegram" is not allowed; write slack, feishu or github`}},
	{name: "no platform", text: changed("    platform: slack\n", ""), want: []string{"2: sources[0].platform: is missing; write slack, feishu or github"}},
	{name: "no account", text: changed("[T1]", "[]"), want: []string{"4: sources[0].accounts: names nothing to listen to"}},
	{name: "a team by name", text: changed("[T1]", "[acme]"), want: []string{`4: sources[0].accounts[0]: "acme" is not allowed; write a Slack team id`}},
	{name: "no row", text: changed("\n      - name: C1\n        receive: all\n", " []\n"), want: []string{"5: sources[0].scopes: the table has no row"}},
	{name: "a channel by name", text: changed("C1", "ops"), want: []string{`6: sources[0].scopes[0].name: "ops" is not allowed; write a channel id`}},
	{name: "a GitHub row on Slack", text: changed("C1", "issues"), want: []string{"6: sources[0].scopes[0].name:"}},
	{name: "a row twice", text: changed("receive: all\n", "receive: all\n      - name: C1\n"), want: []string{`8: sources[0].scopes[1].name: sources[0] already has a row "C1" for T1`}, blind: true},
	{name: "a row of two Sources", text: source + strings.NewReplacer("sources:\n", "", "chat", "chat2").Replace(source), want: []string{`13: sources[1].scopes[0].name: sources[0] already has a row "C1" for T1`}, blind: true},
	{name: "a row of two Sources in another case", text: "sources:\n  - {name: a, platform: github, accounts: [Acme/shop], scopes: [{name: issues}]}\n  - {name: b, platform: github, accounts: [acme/Shop], scopes: [{name: issues}]}\n", want: []string{`3: sources[1].scopes[0].name: sources[0] already has a row "issues" for acme/Shop`}, blind: true},
	{name: "an unknown way to receive", text: changed("all", "some"), want: []string{`7: sources[0].scopes[0].receive: "some" is not allowed; write all, mentions or off`}},
	{name: "G20 other receives all", text: changed("C1", "other"), want: []string{`7: sources[0].scopes[0].receive: "all" is not allowed; write mentions or off`}},
	{name: "G20 other says nothing", text: changed("C1\n        receive: all", "other"), want: []string{"6: sources[0].scopes[0].receive: is missing; write mentions or off"}},
	{name: "direct receives", text: changed("C1", "direct"), want: []string{"7: sources[0].scopes[0].receive: a private chat always names the agent"}},
	{name: "G17 explicit for the unnamed", text: changed("all\n", "all\n        unlisted_unnamed: explicit\n"), want: []string{`8: sources[0].scopes[0].unlisted_unnamed: "explicit" is not allowed; write inferred or ignore`}},
	{name: "G17 explicit for the listed", text: changed("all\n", "all\n        listed_unnamed: explicit\n"), want: []string{`8: sources[0].scopes[0].listed_unnamed: "explicit" is not allowed; write inferred or ignore`}},
	{name: "G17 a cell's value", text: changed("all\n", "all\n        unlisted_named: allow\n"), want: []string{`8: sources[0].scopes[0].unlisted_named: "allow" is not allowed; write explicit, inferred or ignore`}},
	{name: "G18 a cell for the listed who name it", text: changed("all\n", "all\n        listed_named: ignore\n"), want: []string{"8: sources[0].scopes[0].listed_named: unknown key"}},
	{name: "G19 an unnamed cell where only mentions get in", text: changed("all\n", "mentions\n        listed_unnamed: inferred\n        unlisted_unnamed: ignore\n"), want: []string{
		"8: sources[0].scopes[0].listed_unnamed: exists only where everything is received; write receive: all",
		"9: sources[0].scopes[0].unlisted_unnamed: exists only where everything is received"}},
	{name: "G19 an unnamed cell of other", text: changed("C1\n        receive: all\n", "other\n        receive: mentions\n        unlisted_unnamed: inferred\n"), want: []string{`8: sources[0].scopes[0].unlisted_unnamed: the row "other" has no such cell`}},
	{name: "G19 an unnamed cell of direct", text: changed("C1\n        receive: all\n", "direct\n        listed_unnamed: inferred\n"), want: []string{`7: sources[0].scopes[0].listed_unnamed: the row "direct" has no such cell`}},
	{name: "G19 CI has only the last cell", text: "sources:\n  - name: code\n    platform: github\n    accounts: [acme]\n    scopes:\n      - name: ci\n        receive: all\n        listed_unnamed: inferred\n        unlisted_named: inferred\n        unlisted_unnamed: inferred\n", want: []string{
		"8: sources[0].scopes[0].listed_unnamed: a CI result has no sender: its row has only the cell unlisted_unnamed",
		"9: sources[0].scopes[0].unlisted_named: a CI result has no sender"}},
	{name: "G19 CI names nobody", text: "sources:\n  - name: code\n    platform: github\n    accounts: [acme]\n    scopes:\n      - name: ci\n", want: []string{"6: sources[0].scopes[0].receive: is missing; write all or off"}},
	{name: "a listed bot", text: changed("T1/U1", "T1/B1"), want: []string{`8: sources[0].listed[0]: "slack:T1/B1" is not allowed; write slack:TEAM/USER`}},
	{name: "a listed person of another platform", text: changed("slack:T1/U1", "github:11"), want: []string{`8: sources[0].listed[0]: "github:11" is not allowed; write slack:TEAM/USER`}},
	{name: "G18 a GitHub login is not an id", text: "sources:\n  - {name: a, platform: github, accounts: [acme], scopes: [{name: issues}], listed: ['github:ada']}\n", want: []string{`2: sources[0].listed[0]: "github:ada" is not allowed; write github:NUMBER`}},
	{name: "an open id of another app", text: "sources:\n  - {name: a, platform: feishu, accounts: [cli_1], scopes: [{name: oc_1}], listed: ['feishu:cli_2/ou_1']}\n", want: []string{"2: sources[0].listed[0]: an open id is of one app, and the Source listens to cli_1, not cli_2"}, blind: true},
	{name: "a bot by name", text: source + "    bots: [pager]\n", want: []string{`9: sources[0].bots[0]: "pager" is not allowed; write slack:TEAM/BOT`}},
	{name: "an unknown mode", text: source + "    mode: yolo\n", want: []string{`9: sources[0].mode: "yolo" is not allowed; write discuss, plan, interactive, custom or auto`}},
	{name: "a persona's name", text: source + "    persona: ../x\n", want: []string{`9: sources[0].persona: "../x" is not allowed`}},
	{name: "a model without provider", text: source + "    model: gpt\n", want: []string{`9: sources[0].model: "gpt" is not allowed; write provider:model`}},
	{name: "a queue that is not there", text: source + "    queue: ops\n", want: []string{`9: sources[0].queue: no queue is called "ops"; name one under queues, or default`}, blind: true},
	{name: "an expiry that is none", text: "queues:\n  - name: a\n    expiry: soon\n", want: []string{`3: queues[0].expiry: "soon" is not an expiry; write "never" or a duration from 1m to 365d, such as 48h`}},
	{name: "I10 an expiry in the past", text: "queues:\n  - name: a\n    expiry: -2h\n", want: []string{"3: queues[0].expiry:"}},
	{name: "I10 an expiry that is none yet", text: "queues:\n  - name: a\n    expiry: 59s\n  - name: b\n    expiry: 366d\n  - name: c\n    expiry: 9000h\n", want: []string{"3: queues[0].expiry:", "5: queues[1].expiry:", "7: queues[2].expiry:"}, blind: true},
	{name: "a binding nowhere", text: "queues:\n  - name: a\n    bindings:\n      - account: T1\n        channel: C1\n", want: []string{"4: queues[0].bindings[0].surface: is missing; write slack, feishu or github"}},
	{name: "a binding by name", text: "queues:\n  - name: a\n    bindings:\n      - surface: slack\n        account: T1\n        channel: approvals\n", want: []string{`6: queues[0].bindings[0].channel: "approvals" is not allowed; write a channel id`}},
	{name: "a binding of an owner", text: "queues:\n  - name: a\n    bindings:\n      - {surface: github, account: acme, channel: '1'}\n", want: []string{`4: queues[0].bindings[0].account: "acme" is not allowed; write owner/repo`}},
	{name: "a binding twice", text: "queues:\n  - name: a\n    bindings:\n      - {surface: slack, account: T1, channel: C1}\n      - {surface: slack, account: T1, channel: C1, private: true}\n", want: []string{"5: queues[0].bindings[1]: the same place twice"}, blind: true},
	{name: "several at once", text: "accept: x\nowners: [y]\nqueues:\n  - name: Z\n", want: []string{"1: accept:", "2: owners[0]:", "4: queues[0].name:"}},
}

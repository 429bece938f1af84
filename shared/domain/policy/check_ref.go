package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var platforms = []string{trigger.Slack, trigger.Feishu, trigger.GitHub}

// The forms of what a policy names, by platform: what is matched, and what a
// message about it says.
var (
	account = forms(`^[TE][A-Z0-9]+$`, `^cli_[A-Za-z0-9]+$`, `^`+owner+`(/`+repo+`)?$`)

	accountForm = map[string]string{
		trigger.Slack:  "a Slack team id, such as T0123ABC",
		trigger.Feishu: "a Feishu app id, such as cli_a1b2",
		trigger.GitHub: "owner or owner/repo",
	}

	rowName = forms(`^([CG][A-Z0-9]+|other|direct)$`, `^(oc_[A-Za-z0-9_]+|other|direct)$`, `^(issues|pull_requests|comments|ci)$`)

	rowForm = map[string]string{
		trigger.Slack:  `a channel id, such as C0123ABC, or "other" or "direct"`,
		trigger.Feishu: `a chat id, such as oc_a1b2, or "other" or "direct"`,
		trigger.GitHub: `"issues", "pull_requests", "comments" or "ci"`,
	}

	bindingAccount = forms(`^[TE][A-Z0-9]+$`, `^cli_[A-Za-z0-9]+$`, `^`+owner+`/`+repo+`$`)

	bindingAccountForm = map[string]string{
		trigger.Slack:  accountForm[trigger.Slack],
		trigger.Feishu: accountForm[trigger.Feishu],
		trigger.GitHub: "owner/repo",
	}

	bindingChannel = forms(`^[CGD][A-Z0-9]+$`, `^oc_[A-Za-z0-9_]+$`, `^[1-9][0-9]*$`)

	bindingChannelForm = map[string]string{
		trigger.Slack:  "a channel id, such as C0123ABC",
		trigger.Feishu: "a chat id, such as oc_a1b2",
		trigger.GitHub: "the number of an issue or pull request, in quotes",
	}

	person = forms(`^slack:[TE][A-Z0-9]+/[UW][A-Z0-9]+$`, `^feishu:cli_[A-Za-z0-9]+/ou_[A-Za-z0-9_]+$`, `^github:[1-9][0-9]*$`)

	personForm = map[string]string{
		trigger.Slack:  "slack:TEAM/USER, such as slack:T0123ABC/U0456DEF",
		trigger.Feishu: "feishu:APP/OPEN_ID, such as feishu:cli_a1b2/ou_c3d4",
		trigger.GitHub: "github:NUMBER, the numeric id, since a login can change hands",
	}

	botRef = forms(`^slack:[TE][A-Z0-9]+/[UWBA][A-Z0-9]+$`, `^feishu:cli_[A-Za-z0-9]+/[a-z]+_[A-Za-z0-9_]+$`, `^github:[1-9][0-9]*$|^[A-Za-z0-9-]+\[bot\]$`)

	botForm = map[string]string{
		trigger.Slack:  "slack:TEAM/BOT, such as slack:T0123ABC/B0456DEF",
		trigger.Feishu: "feishu:APP/ID of the bot",
		trigger.GitHub: "github:NUMBER or the App's login, such as dependabot[bot]",
	}

	panelRef     = regexp.MustCompile(`^panel:[^\s/:]+(/[^\s/]+)?$`)
	modelPattern = regexp.MustCompile(`^[a-z0-9-]+:\S+$`)
)

const owner, repo = `[A-Za-z0-9](-?[A-Za-z0-9])*`, `[A-Za-z0-9_.-]+`

func forms(slack, feishu, github string) map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		trigger.Slack:  regexp.MustCompile(slack),
		trigger.Feishu: regexp.MustCompile(feishu),
		trigger.GitHub: regexp.MustCompile(github),
	}
}

func badForm(value, form string) string {
	if value == "" {
		return "is missing; write " + form
	}
	return fmt.Sprintf("%q is not allowed; write %s", value, form)
}

// listed notes a ref that no sender of the Source can have (G18).
func (r *reader) listed(key string, s Source, ref string) {
	who, ok := actor.ParseRef(ref)
	switch {
	case !ok || !person[s.Platform].MatchString(ref):
		r.add(key, badForm(ref, personForm[s.Platform]))
	case s.Platform == trigger.Feishu && !slices.Contains(s.Accounts, who.Workspace):
		r.add(key, fmt.Sprintf("an open id is of one app, and the Source listens to %s, not %s", strings.Join(s.Accounts, ", "), who.Workspace))
	}
}

// bot notes a bot ref that no bot of the Source can have (G18, G22).
func (r *reader) bot(key string, s Source, ref string) {
	if !botRef[s.Platform].MatchString(ref) {
		r.add(key, badForm(ref, botForm[s.Platform]))
	}
}

// approvers notes refs of nobody who can answer (I12). Keys and Postern itself
// cannot: no credential that submits calls resolves items (I13).
func (r *reader) approvers(key string, refs []string) {
	for i, ref := range refs {
		at := fmt.Sprintf("%s[%d]", key, i)
		who, _ := actor.ParseRef(ref)
		form, known := personForm[who.Provider]
		switch {
		case who.Provider == "panel" && panelRef.MatchString(ref):
		case who.Provider == "panel":
			r.add(at, badForm(ref, "panel:NAME, such as panel:ada"))
		case !known:
			r.add(at, badForm(ref, "a person: "+orList([]string{personForm[trigger.Slack], personForm[trigger.Feishu], personForm[trigger.GitHub], "panel:NAME"})))
		case !person[who.Provider].MatchString(ref):
			r.add(at, badForm(ref, form))
		}
	}
}

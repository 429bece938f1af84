package catalog

import (
	"regexp"
	"strings"
)

// Kind is the sort of a target, hence its normal form.
type Kind string

const (
	Issue   Kind = "issue"   // owner/repo#7, GitHub issues and pull requests alike
	Repo    Kind = "repo"    // owner/repo
	Channel Kind = "channel" // Slack conversation id
	Chat    Kind = "chat"    // Feishu chat or user id
	Address Kind = "address" // one mail address
)

// Normal returns the normal form of a target, or "" if the text does not name
// exactly one: a channel's name (only its id is certain), a list of addresses,
// a wildcard.
func (k Kind) Normal(s string) string {
	s = strings.TrimSpace(s)
	switch k {
	case Issue:
		return matched(issueForm, strings.ToLower(s))
	case Repo:
		return matched(repoForm, strings.ToLower(s))
	case Channel:
		return slackChannel(s)
	case Chat:
		return matched(chatForm, strings.TrimPrefix(s, "feishu:"))
	case Address:
		return addressOf(s)
	}
	return ""
}

var (
	repoForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,38}/[a-z0-9._-]{1,100}$`)
	issueForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,38}/[a-z0-9._-]{1,100}#[1-9][0-9]{0,9}$`)
	channelForm = regexp.MustCompile(`^[CGDUW][A-Z0-9]{2,20}$`)
	channelRef  = regexp.MustCompile(`^<#([CG][A-Z0-9]{2,20})(?:\|[^<>|]*)?>$`)
	channelLink = regexp.MustCompile(`^https://[a-z0-9-]+(?:\.enterprise)?\.slack\.com/archives/([A-Za-z0-9]{3,21})$`)
	chatForm    = regexp.MustCompile(`^o[cu]_[0-9A-Za-z]{4,64}$`)
	addressForm = regexp.MustCompile(`^[a-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$`)
)

func matched(form *regexp.Regexp, s string) string {
	if !form.MatchString(s) {
		return ""
	}
	return s
}

// slackChannel reads an id, slack:ID, <#ID|name> or a link to the channel.
func slackChannel(s string) string {
	s = strings.TrimPrefix(s, "slack:")
	if m := channelRef.FindStringSubmatch(s); m != nil {
		s = m[1]
	} else if m := channelLink.FindStringSubmatch(s); m != nil {
		s = strings.ToUpper(m[1])
	}
	return matched(channelForm, s)
}

// addressOf folds the case of one plain ASCII address. Names, lists, comments
// and look-alike letters are not certain, hence no target.
func addressOf(s string) string {
	for i := range len(s) {
		if s[i] > 0x7e || s[i] < 0x21 {
			return ""
		}
	}
	return matched(addressForm, strings.ToLower(s))
}

package slack

import (
	"strings"
	"unicode/utf8"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

const cutMark = "\n[cut: the message is longer]"

// unescape undoes Slack's three entities in one pass, so &amp;lt; becomes &lt;
// and no further. A token such as <@U1> or <https://x|label> stays as it came:
// whether it mentions anybody was judged before, on the escaped text.
var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")

// text is a message's text as a Trigger carries it: unescaped once (B26), cut
// at trigger.MaxText bytes with a marker.
func text(s string) string {
	s = unescape.Replace(s)
	if len(s) <= trigger.MaxText {
		return s
	}
	n := trigger.MaxText - len(cutMark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + cutMark
}

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// entrance is a platform's webhook and how to knock at it.
type entrance struct {
	platform, name string // "slack", "Slack"
	logical        string // of the function, in the stack
	configured     bool
	// signed makes a delivery that changes nothing, signed by the stored
	// secret; nil if the secret could not be read.
	signed func() (http.Header, []byte)
	taken  func(a answer) bool
}

// knock looks at a webhook: it has to refuse what nobody signed, and take what
// is signed by the secret that is stored now.
func (d *doctor) knock(ctx context.Context, up bool, e entrance) {
	if !up {
		return
	}
	path := "/hooks/" + e.platform
	a := d.ask(ctx, http.MethodPost, path, http.Header{"Content-Type": {"application/json"}}, []byte("{}"))
	switch {
	case a.status == http.StatusNotFound && e.configured:
		d.bad(e.platform+".entrance.off", path+" answers 404: "+e.name+" has a secret, but the function was not told of it.",
			"Deploy again: make deploy gives "+e.logical+" the secret.")
		return
	case a.status == http.StatusNotFound:
		d.note(e.platform+".absent", e.name+" is not connected; "+path+" answers 404, and nothing else minds.", "")
		return
	case a.status >= 200 && a.status < 300:
		d.bad(e.platform+".entrance.open", path+" took a delivery that nobody signed.",
			"Take it off the net now: something in front of it answers, or this is no release of Postern.")
		return
	case a.status == 0 || a.status >= 500 || a.status == http.StatusTooManyRequests:
		d.bad(e.platform+".entrance.failing", path+" "+a.String()+".",
			"Read the log group of "+e.logical+": a function that cannot start says there what is missing.")
		return
	}
	if !e.configured || e.signed == nil {
		return
	}
	h, body := e.signed()
	if a = d.ask(ctx, http.MethodPost, path, h, body); !e.taken(a) {
		d.bad(e.platform+".entrance.stale", path+" "+a.String()+" to a delivery signed with the secret that is stored now: the function still holds another one, or a proxy changes what passes.",
			"postern setup "+e.platform+" "+d.Stack+" --restart makes it read the secret again. If that does not help, put nothing between "+e.name+" and the API that rewrites bodies.")
		return
	}
	d.ok(e.platform+".entrance", path+" refuses what nobody signed, and takes what the stored secret signs.")
}

// stored gives a connector's secret as the JSON that its edge reads.
func (d *doctor) stored(platform string) (raw []byte, configured bool) {
	s, ok := d.Secrets[platform]
	if !ok {
		return nil, false
	}
	if s.Err != nil {
		d.bad(platform+".secret.unread", "The secret "+s.Name+" cannot be read: "+s.Err.Error()+".",
			"If it was deleted, restore it or run postern setup "+platform+" "+d.Stack+". If it is your credentials: they need secretsmanager:GetSecretValue on it.")
		return nil, true
	}
	raw, err := json.Marshal(s.Values)
	if err != nil {
		return nil, true
	}
	return raw, true
}

// incomplete reports a secret that lacks something. The error names keys,
// never values.
func (d *doctor) incomplete(platform string, errs ...error) bool {
	var words []string
	for _, err := range errs {
		if err != nil {
			words = append(words, strings.TrimPrefix(err.Error(), platform+": "))
		}
	}
	if len(words) == 0 {
		return false
	}
	d.bad(platform+".secret", "The secret of "+platform+" is not complete: "+strings.Join(unique(words), "; ")+".",
		"postern setup "+platform+" "+d.Stack+" asks for what is missing and keeps the rest.")
	return true
}

// link looks at the key that signs the buttons of cards (I21).
func (d *doctor) link() {
	s, ok := d.Secrets["link"]
	switch {
	case !ok:
	case s.Err != nil:
		d.bad("link.secret.unread", "The secret "+s.Name+", which signs buttons, cannot be read: "+s.Err.Error()+".",
			"The stack made it: if it was deleted, restore it. If it is your credentials: they need secretsmanager:GetSecretValue on it.")
	case len(s.Values["key"]) < 16:
		d.bad("link.secret", "The secret "+s.Name+", which signs buttons, has no key of 16 characters or more: no card can be shown.",
			"Put a long random text into its key \"key\". Buttons of older cards stop working; the panel answers them.")
	default:
		d.ok("link", "The key that signs buttons is there.")
	}
}

// codeOf is the platform's code of a failed call.
func codeOf(err error) string {
	var s *delivery.SendError
	if errors.As(err, &s) {
		return s.Code
	}
	return err.Error()
}

func unreached(code string) bool {
	return code == "network" || code == "canceled" || code == "unreadable" || code == "limited" || code == "ratelimited" || strings.HasPrefix(code, "http_5")
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

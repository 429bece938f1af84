package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/github"
)

func (d *doctor) github(ctx context.Context, up bool) {
	raw, configured := d.stored(trigger.GitHub)
	e := entrance{platform: trigger.GitHub, name: "GitHub", logical: "GithubFunction", configured: configured,
		taken: func(a answer) bool { return a.status >= 200 && a.status < 300 }}
	var client *github.Client
	var s github.Secrets
	if raw != nil {
		var err error
		s, err = github.ParseSecrets(raw)
		_, receives := github.NewReceiver(s, nil, d.Now)
		base := d.Secrets[trigger.GitHub].Values["api"]
		if base == "" {
			base = github.API
		}
		c, sends := github.NewClient(s, base, d.HTTP, d.Now)
		if !d.incomplete(trigger.GitHub, err, receives, sends) {
			client = c
			e.signed = func() (http.Header, []byte) {
				body := []byte(`{"zen":"Postern looks at its own door.","hook_id":1}`)
				return github.Sign(s.WebhookSecret, body, "ping", "00000000-0000-4000-8000-00000000d0c7"), body
			}
		}
	}
	d.knock(ctx, up, e)
	if client != nil {
		d.githubSelf(ctx, up, client, s)
	}
}

func (d *doctor) githubSelf(ctx context.Context, up bool, c *github.Client, s github.Secrets) {
	if !c.IsApp() {
		login, err := c.Login(ctx)
		if err != nil {
			d.githubRefuses(err, "the token")
			return
		}
		if !strings.EqualFold(login, s.Slug) {
			d.bad("github.slug", "The token is "+login+"'s, and the secret's slug is "+s.Slug+": mentions go to one and comments come from the other.",
				"Set slug to "+login+": postern setup github "+d.Stack)
			return
		}
		d.ok("github", "The token is "+login+"'s. A GitHub App is better: its rights are its own, and its deliveries can be looked at.")
		d.repositories(ctx, c)
		return
	}
	before := d.wrong
	if !d.githubApp(ctx, up, c, s) {
		return
	}
	if d.wrong == before {
		d.ok("github", "The App "+s.Slug+" has the events and permissions it needs, and its deliveries come here.")
	}
	d.repositories(ctx, c)
}

func (d *doctor) githubRefuses(err error, what string) {
	if code := codeOf(err); unreached(code) {
		d.bad("github.silent", "GitHub's API does not answer ("+code+").", "Try again. If it stays so: does this machine reach api.github.com?")
	} else {
		d.bad("github.token", "GitHub refuses "+what+" ("+code+").",
			"Make a new private key on the App's page (or a new token): postern setup github "+d.Stack)
	}
}

// githubApp looks at the App, its installation and its webhook. False: it
// cannot act, so there is no use in asking it for more.
func (d *doctor) githubApp(ctx context.Context, up bool, c *github.Client, s github.Secrets) bool {
	app, err := c.App(ctx)
	if err != nil {
		d.githubRefuses(err, "the App's key")
		return false
	}
	if app.Slug != s.Slug {
		d.bad("github.slug", "The App's slug is "+app.Slug+", and the secret's is "+s.Slug+": nobody's mention of it is seen.",
			"Set slug to "+app.Slug+": postern setup github "+d.Stack)
	}
	var events []string
	for _, e := range github.Events {
		if !slices.Contains(app.Events, e) {
			events = append(events, e)
		}
	}
	if len(events) > 0 {
		d.bad("github.events", "The App does not subscribe to "+strings.Join(events, ", ")+".", "On the App's page, Permissions & events, tick them.")
	}
	if up {
		d.deliveries(ctx, c)
	}
	return d.installation(ctx, c)
}

func (d *doctor) installation(ctx context.Context, c *github.Client) bool {
	i, err := c.Installation(ctx)
	switch {
	case err != nil && unreached(codeOf(err)):
		d.note("github.installation.unknown", "The installation could not be looked at ("+codeOf(err)+").", "")
		return true
	case err != nil:
		d.bad("github.installation", "The App has no such installation as the secret names.",
			"Install the App, and take installation_id from the end of its settings page's address: postern setup github "+d.Stack)
		return false
	case i.Suspended != nil:
		d.bad("github.suspended", "The App's installation is suspended.", "Its owner can end that on the installation's settings page.")
		return false
	}
	var lacks []string
	for _, p := range slices.Sorted(maps.Keys(github.Permissions)) {
		if want, has := github.Permissions[p], i.Permissions[p]; has != want && has != "write" && has != "admin" {
			lacks = append(lacks, p+": "+want)
		}
	}
	if len(lacks) > 0 {
		d.bad("github.permissions", "The installation lacks "+strings.Join(lacks, ", ")+".",
			"Set them on the App's page, then accept them on the installation's page: until somebody does, the old ones hold.")
	}
	return true
}

// deliveries looks at where GitHub delivers and how that went. It sends
// nothing twice by itself: the reconciler asks for what failed (W8).
func (d *doctor) deliveries(ctx context.Context, c *github.Client) {
	h, err := c.AppHook(ctx)
	if err != nil {
		d.note("github.hook.unknown", "The App's webhook could not be looked at ("+codeOf(err)+").", "")
		return
	}
	if want := d.URL + "/hooks/github"; h.URL != want {
		d.bad("github.hook", "The App's webhook goes to "+or(h.URL, "nowhere")+", not to "+want+".", "On the App's page, set the Webhook URL to "+want+".")
		return
	}
	now := d.Now()
	tries, _, err := c.Deliveries(ctx, github.Hook{}, now.Add(-github.Window))
	if err != nil {
		d.note("github.deliveries.unknown", "GitHub's list of deliveries could not be read ("+codeOf(err)+").", "")
		return
	}
	missed := github.Missed(tries, now)
	if len(missed) == 0 {
		return
	}
	last := missed[len(missed)-1]
	do := map[int]string{
		0:   "Nothing answered in 10 seconds: is the address reachable from outside?",
		401: "The webhook's secret at GitHub is not the stored one: set both to the same, postern setup github " + d.Stack,
		404: "GitHub's entrance was not configured then: deploy again.",
	}[last.Status]
	if do == "" {
		do = "Look at the App's page, Advanced, Recent Deliveries, and at the log group of GithubFunction."
	}
	d.bad("github.deliveries", fmt.Sprintf("GitHub could not deliver %d events in the last 3 days, the latest (%s) answered %d.", len(missed), last.Event, last.Status),
		do+" The reconciler then asks GitHub for them by itself, each after a longer while; at once: redeliver them on the App's page, Advanced.")
}

// repositories looks whether what the policy names can be seen.
func (d *doctor) repositories(ctx context.Context, c *github.Client) {
	var seen []string
	for _, s := range d.policy.Sources {
		for _, a := range s.Accounts {
			if s.Platform == trigger.GitHub && strings.Contains(a, "/") {
				seen = append(seen, a)
			}
		}
	}
	for _, repo := range unique(seen) {
		if err := c.Sees(ctx, repo); err != nil && !unreached(codeOf(err)) {
			d.bad("github.repository", "The policy listens to "+repo+", which GitHub does not show us ("+codeOf(err)+").",
				"Install the App on it, or correct the name in the policy.")
		}
	}
	for _, b := range d.bindings(trigger.GitHub) {
		args, _ := json.Marshal(map[string]string{"issue": b.account + "#" + b.channel})
		if _, err := c.ReadIssue(ctx, args, ""); err != nil && !unreached(codeOf(err)) {
			d.bad("github.issue", "Queue "+b.queue+" shows its cards on "+b.account+"#"+b.channel+", which cannot be read ("+codeOf(err)+").",
				"Open that issue, or name another in the policy; the App has to be installed there.")
		}
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

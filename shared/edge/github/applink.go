package github

import (
	"net/url"
)

// Events are those that an App has to subscribe to. ping comes unasked.
var Events = []string{
	"issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment", "workflow_run", "check_suite",
}

// Permissions are what an App needs, and nothing more.
var Permissions = map[string]string{
	"metadata": "read", "issues": "write", "pull_requests": "write", "actions": "read", "checks": "read",
}

// AppLink opens GitHub's form for a new App, filled in (U4). org is the
// organisation that shall own it, or empty for the person who opens the link;
// home is the panel's address and hook the webhook's. The form cannot carry
// the webhook's secret, which is to be typed in.
func AppLink(org, name, home, hook string) string {
	path := "/settings/apps/new"
	if org != "" {
		path = "/organizations/" + url.PathEscape(org) + path
	}
	q := url.Values{
		"name": {name}, "url": {home}, "public": {"false"},
		"webhook_active": {"true"}, "webhook_url": {hook},
		"events[]": Events,
	}
	for p, level := range Permissions {
		q.Set(p, level)
	}
	return "https://github.com" + path + "?" + q.Encode()
}

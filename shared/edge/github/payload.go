package github

import (
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// payload is the little of a delivery that is needed. encoding/json goes on
// after a field of an unexpected type, so an odd field costs itself and never
// the event.
type payload struct {
	Action     string     `json:"action"`
	Repository repository `json:"repository"`
	Sender     account    `json:"sender"`

	Issue       *post  `json:"issue"`
	PullRequest *post  `json:"pull_request"`
	Comment     *post  `json:"comment"`
	Review      *post  `json:"review"`
	WorkflowRun *run   `json:"workflow_run"`
	CheckSuite  *suite `json:"check_suite"`
}

type repository struct {
	ID            number `json:"id"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type account struct {
	ID    number `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

// post is an issue, a pull request, a comment, a review or a comment of a
// review: each has an author, a time and a text.
type post struct {
	ID          number  `json:"id"`
	Number      number  `json:"number"`
	Title       string  `json:"title"`
	Body        string  `json:"body"`
	User        account `json:"user"`
	CreatedAt   string  `json:"created_at"`
	SubmittedAt string  `json:"submitted_at"` // of a review
	State       string  `json:"state"`        // of a review
	Path        string  `json:"path"`         // of a comment of a review
	Line        number  `json:"line"`
	Via         *app    `json:"performed_via_github_app"`
}

type app struct {
	ID   number `json:"id"`
	Slug string `json:"slug"`
}

type run struct {
	ID         number     `json:"id"`
	Attempt    number     `json:"run_attempt"`
	Name       string     `json:"name"`
	Event      string     `json:"event"`
	Branch     string     `json:"head_branch"`
	SHA        string     `json:"head_sha"`
	Conclusion string     `json:"conclusion"`
	UpdatedAt  string     `json:"updated_at"`
	URL        string     `json:"html_url"`
	Head       repository `json:"head_repository"`
}

type suite struct {
	ID         number `json:"id"`
	Branch     string `json:"head_branch"`
	SHA        string `json:"head_sha"`
	Conclusion string `json:"conclusion"`
	UpdatedAt  string `json:"updated_at"`
	App        app    `json:"app"`
}

// number is an id or a count, written as a number or as a string of digits.
// Anything else is 0.
type number int64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = number(i)
	} else if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		*n = number(f)
	}
	return nil
}

func (n number) String() string { return strconv.FormatInt(int64(n), 10) }

// parse reads a verified body, JSON or a form with the JSON in "payload".
func parse(contentType string, body []byte) (payload, *delivery.Refusal) {
	if media, _, _ := strings.Cut(contentType, ";"); strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return payload{}, delivery.Unreadable("the form cannot be read")
		}
		body = []byte(form.Get("payload"))
	}
	var p payload
	err := json.Unmarshal(body, &p)
	var odd *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &odd) {
		return payload{}, delivery.Unreadable("the body is not JSON")
	}
	return p, nil
}

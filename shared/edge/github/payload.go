package github

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// payload is the little of a delivery that is needed.
type payload struct {
	Action     string
	Repository repository
	Sender     account

	Issue, PullRequest, Comment, Review *post

	WorkflowRun *run
	CheckSuite  *suite
}

type repository struct {
	ID            number
	FullName      string
	DefaultBranch string
}

type account struct {
	ID    number
	Login string
	Type  string
}

// post is an issue, a pull request, a comment, a review or a comment of a
// review: each has an author, a time and a text.
type post struct {
	ID        number
	Number    number
	Title     string
	Body      string
	User      account
	CreatedAt string // submitted_at of a review
	State     string // of a review
	Path      string // of a comment of a review
	Line      number
	Via       *app // performed_via_github_app
}

type app struct {
	ID   number
	Slug string
}

type run struct {
	ID, Attempt                number
	Name, Event, Branch, SHA   string
	Conclusion, UpdatedAt, URL string
	Head                       repository
}

type suite struct {
	ID                                 number
	Branch, SHA, Conclusion, UpdatedAt string
	App                                app
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
	if !read(body, p.field) {
		return payload{}, delivery.Unreadable("the body is not JSON")
	}
	return p, nil
}

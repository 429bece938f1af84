package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"time"
)

// Hook is whose deliveries are meant: a repository's hook by its id, or, if
// empty, the App's own.
type Hook struct {
	Repo string // owner/name
	ID   int64
}

// Attempt is one try of GitHub to deliver.
type Attempt struct {
	ID     int64     // of the try
	GUID   string    // of the delivery: the same for every try
	Event  string    // its name
	Status int       // HTTP status that GitHub got, 0 for none
	At     time.Time // when
}

// Window is how long GitHub can deliver again.
const Window = 3 * 24 * time.Hour

// Deliveries lists the tries since a time, newest first (W8).
func (c *Client) Deliveries(ctx context.Context, hook Hook, since time.Time) ([]Attempt, error) {
	path, as, err := hook.path()
	if err != nil {
		return nil, err
	}
	var all []Attempt
	for path += "?" + (url.Values{"per_page": {"100"}}).Encode(); path != ""; {
		var page []struct {
			ID     int64     `json:"id"`
			GUID   string    `json:"guid"`
			Event  string    `json:"event"`
			Status int       `json:"status_code"`
			At     time.Time `json:"delivered_at"`
		}
		h, err := c.callFor(ctx, as, http.MethodGet, path, nil, &page)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if a.At.Before(since) {
				return all, nil
			}
			all = append(all, Attempt(a))
		}
		path = c.next(h)
	}
	return all, nil
}

// Missed picks what GitHub could not deliver and shall try again: no try of it
// was answered 2xx, done does not know it (a slow answer counts as failed
// there, B51), and it is young enough. It gives the latest try of each, oldest
// delivery first.
func Missed(tries []Attempt, now time.Time, done func(guid string) bool) []Attempt {
	delivered, latest := map[string]bool{}, map[string]Attempt{}
	for _, a := range tries {
		if a.Status >= 200 && a.Status < 300 {
			delivered[a.GUID] = true
		}
		if l, ok := latest[a.GUID]; !ok || a.At.After(l.At) {
			latest[a.GUID] = a
		}
	}
	var missed []Attempt
	for guid, a := range latest {
		if guid != "" && !delivered[guid] && now.Sub(a.At) < Window && !done(guid) {
			missed = append(missed, a)
		}
	}
	sort.Slice(missed, func(i, j int) bool {
		if !missed[i].At.Equal(missed[j].At) {
			return missed[i].At.Before(missed[j].At)
		}
		return missed[i].ID < missed[j].ID
	})
	return missed
}

// Redeliver asks GitHub to try again. The delivery comes with the same GUID.
func (c *Client) Redeliver(ctx context.Context, hook Hook, attempt int64) error {
	path, as, err := hook.path()
	if err != nil {
		return err
	}
	return c.call(ctx, as, http.MethodPost, fmt.Sprintf("%s/%d/attempts", path, attempt), nil, nil)
}

func (h Hook) path() (string, identity, error) {
	if h == (Hook{}) {
		return "/app/hook/deliveries", asApp, nil
	}
	if _, ok := fullName(h.Repo); !ok || h.ID <= 0 {
		return "", 0, failure("no_place", true, nil)
	}
	return fmt.Sprintf("/repos/%s/hooks/%d/deliveries", h.Repo, h.ID), asInstallation, nil
}

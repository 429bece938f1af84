package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
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
	Again  bool      // somebody asked for it: not the first try
}

// Window is how long GitHub can deliver again.
const Window = 3 * 24 * time.Hour

// pages is how many pages of tries are read at most, 100 each: GitHub allows
// 5000 calls an hour, and the reconciler asks twelve times in it.
const pages = 30

// Deliveries lists the tries since a time, newest first (W8). It gives up after
// 3000 of them: whole is false then, and older ones are not in the list.
func (c *Client) Deliveries(ctx context.Context, hook Hook, since time.Time) (all []Attempt, whole bool, err error) {
	path, as, err := hook.path()
	if err != nil {
		return nil, false, err
	}
	path += "?" + (url.Values{"per_page": {"100"}}).Encode()
	for range pages {
		var page []struct {
			ID     int64     `json:"id"`
			GUID   string    `json:"guid"`
			Event  string    `json:"event"`
			Status int       `json:"status_code"`
			At     time.Time `json:"delivered_at"`
			Again  bool      `json:"redelivery"`
		}
		h, err := c.callFor(ctx, as, http.MethodGet, path, nil, &page)
		if err != nil {
			return nil, false, err
		}
		for _, a := range page {
			if a.At.Before(since) {
				return all, true, nil
			}
			all = append(all, Attempt(a))
		}
		if path = c.next(h); path == "" {
			return all, true, nil
		}
	}
	return all, false, nil
}

// Redeliver asks GitHub to try again. The delivery comes with the same GUID,
// soon after this call.
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

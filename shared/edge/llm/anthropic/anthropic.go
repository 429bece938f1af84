// Package anthropic calls Anthropic's Messages API (S11).
//
// The stream is decoded by the official SDK. Its client is not used: beside
// the others it takes the turn's package over its 5 MB. The wire types here
// are the few fields that a turn needs.
//
// It makes one streamed call per Complete and never repeats it. It must not
// log, keep anything between calls, or put a message, a key or the provider's
// words into an error.
package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/postern-dev/postern/shared/domain/model"
)

const (
	DefaultBaseURL   = "https://api.anthropic.com"
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxTokens = 8192 // of a reply; the API wants a limit

	version = "2023-06-01" // of the API
)

// Config says how to reach the API.
type Config struct {
	BaseURL string        // DefaultBaseURL if empty; ends before "/v1/messages"
	Key     string        // required
	Timeout time.Duration // of one call, its whole stream included
	HTTP    *http.Client  // required
}

// Model fulfils the contract of package model.
type Model struct {
	url     string
	key     string
	timeout time.Duration
	http    *http.Client
}

// New checks the configuration; it makes no call (Q8).
func New(c Config) (*Model, error) {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, errors.New("anthropic: the base URL is not an http or https address")
	}
	if c.Key == "" {
		return nil, errors.New("anthropic: no API key; set api_key of the model provider's secret")
	}
	if c.HTTP == nil {
		return nil, errors.New("anthropic: no HTTP client given")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/v1/messages"
	return &Model{url: base.String(), key: c.Key, timeout: c.Timeout, http: c.HTTP}, nil
}

// Timeout is the longest that Complete takes: the turn begins no call with
// less time left (S6).
func (m *Model) Timeout() time.Duration { return m.timeout }

// Complete makes one call. Errors are *model.Error.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	names := model.NewNames(nameLimit, model.Offered(r))
	res, err := m.post(ctx, r, names)
	if err != nil {
		return model.Reply{}, err
	}
	stream := ssestream.NewDecoder(res)
	defer stream.Close()
	heard := collector{model: r.Model}
	for !heard.ended && stream.Next() {
		if err := heard.add(stream.Event()); err != nil {
			return model.Reply{}, err
		}
	}
	if err := stream.Err(); err != nil && !heard.ended {
		return model.Reply{}, broken(ctx, err)
	}
	return heard.reply(names)
}

// post sends the request and returns an answer that is good so far.
func (m *Model) post(ctx context.Context, r model.Request, names model.Names) (*http.Response, error) {
	wire, err := wire(r, names)
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: fmt.Errorf("anthropic: %w", err)}
	}
	body, err := json.Marshal(wire)
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: errors.New("anthropic: the request cannot be written as JSON")}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: errors.New("anthropic: the address cannot be used")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Anthropic-Version", version)
	req.Header.Set("X-Api-Key", m.key)
	res, err := m.http.Do(req)
	if err != nil {
		return nil, broken(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, refused(res)
	}
	return res, nil
}

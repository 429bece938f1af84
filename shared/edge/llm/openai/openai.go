// Package openai calls any endpoint that speaks the chat-completions protocol
// of OpenAI (S11).
//
// The stream is decoded by the official SDK. Its client is not used: that
// links every resource of the API and puts a function's package over its 5 MB.
// The wire types here are the few fields that a turn needs.
//
// It makes one streamed call per Complete and never repeats it. It must not
// log, keep anything between calls, or put a message, a key or a provider's
// words into an error.
package openai

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

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/postern-dev/postern/shared/domain/model"
)

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// DefaultTimeout is how long one call may take if Config says nothing.
const DefaultTimeout = 2 * time.Minute

// Config says where a model is and how to reach it.
type Config struct {
	BaseURL string        // DefaultBaseURL if empty; ends before "/chat/completions"
	Key     string        // may be empty at another BaseURL only
	Timeout time.Duration // of one call, its whole stream included
	HTTP    *http.Client  // required
}

// Model fulfils the contract of package model.
type Model struct {
	url     string
	key     string
	timeout time.Duration
	http    *http.Client
	own     bool // OpenAI's own endpoint, not a compatible one
}

// New checks the configuration; it makes no call (Q8).
func New(c Config) (*Model, error) {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, errors.New("openai: the base URL is not an http or https address")
	}
	own := base.Host == "api.openai.com"
	if own && c.Key == "" {
		return nil, errors.New("openai: no API key; set api_key of the model provider's secret")
	}
	if c.HTTP == nil {
		return nil, errors.New("openai: no HTTP client given")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	base.Path = strings.TrimRight(base.Path, "/") + "/chat/completions"
	return &Model{url: base.String(), key: c.Key, timeout: c.Timeout, http: c.HTTP, own: own}, nil
}

// Timeout is the longest that Complete takes: the turn begins no call with
// less time left (S6).
func (m *Model) Timeout() time.Duration { return m.timeout }

// Complete makes one call. Errors are *model.Error.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	names := model.NewNames(nameLimit, r.Tools)
	res, err := m.post(ctx, r, names)
	if err != nil {
		return model.Reply{}, err
	}
	stream := ssestream.NewStream[chunk](ssestream.NewDecoder(res), nil)
	defer stream.Close()
	var heard collector
	for stream.Next() {
		if err := heard.add(stream.Current()); err != nil {
			return model.Reply{}, &model.Error{Kind: model.Unavailable, Err: err}
		}
	}
	if err := stream.Err(); err != nil {
		return model.Reply{}, broken(ctx, err)
	}
	return heard.reply(r, names)
}

// post sends the request and returns an answer that is good so far.
func (m *Model) post(ctx context.Context, r model.Request, names model.Names) (*http.Response, error) {
	wire, err := m.wire(r, names)
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: fmt.Errorf("openai: %w", err)}
	}
	body, err := json.Marshal(wire)
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: errors.New("openai: the request cannot be written as JSON")}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, &model.Error{Kind: model.BadRequest, Err: errors.New("openai: the address cannot be used")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.key)
	}
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

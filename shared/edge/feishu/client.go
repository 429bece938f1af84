package feishu

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
)

// Client sends to one app's chats. It goes through the SDK's request core with
// the core's token cache off: that cache is one for the whole process, never
// evicts a rejected token, and ignores the secret (B41). Safe for concurrent
// use. Every error of a call is a *delivery.SendError.
type Client struct {
	app    string
	config *larkcore.Config
	tokens *tokens
	now    func() time.Time

	botMu    sync.Mutex
	botID    string
	botRetry time.Time // after a failed look-up, not before this
}

// defaultTimeout bounds a call whose HTTP client has no time-out of its own;
// the SDK sets none.
const defaultTimeout = 10 * time.Second

// NewClient makes a client. base is the API's address, empty for the one that
// the app's domain names. A missing app_id or app_secret is an error (Q8).
func NewClient(cfg Secrets, base string, hc *http.Client, now func() time.Time) (*Client, error) {
	if err := cfg.outbound(); err != nil {
		return nil, err
	}
	if hc == nil || now == nil {
		return nil, errors.New("feishu: a client needs an HTTP client and a clock")
	}
	if base == "" {
		var err error
		if base, err = cfg.BaseURL(); err != nil {
			return nil, err
		}
	}
	own := *hc
	if own.Timeout <= 0 {
		own.Timeout = defaultTimeout
	}
	// A redirect would carry the secret or the token to another address.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{app: cfg.AppID, now: now, botID: cfg.BotOpenID}
	c.config = &larkcore.Config{
		BaseUrl:          strings.TrimSuffix(base, "/"),
		AppId:            cfg.AppID,
		AppSecret:        cfg.AppSecret,
		AppType:          larkcore.AppTypeSelfBuilt,
		EnableTokenCache: false,
		HttpClient:       bounded{&own},
		Serializable:     codec{},
		Logger:           silent{},
	}
	c.tokens = &tokens{now: now, fetch: c.fetchToken, lock: make(chan struct{}, 1)}
	return c, nil
}

// do makes one call with a tenant token and reads its answer into out. A
// rejected token is evicted, fetched once and the call repeated once (B41).
func (c *Client) do(ctx context.Context, op string, req larkcore.ApiReq, out any) error {
	req.SupportedAccessTokenTypes = []larkcore.AccessTokenType{larkcore.AccessTokenTypeTenant}
	for again := false; ; again = true {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return err
		}
		code, err := c.request(ctx, op, &req, out, larkcore.WithTenantAccessToken(token))
		if !tokenRejected(code) || again {
			return err
		}
		c.tokens.evict(token)
	}
}

// request makes one HTTP exchange. It gives the platform's code, and an error
// for every code but 0.
func (c *Client) request(ctx context.Context, op string, req *larkcore.ApiReq, out any, opts ...larkcore.RequestOptionFunc) (int, error) {
	resp, err := larkcore.Request(ctx, req, c.config, opts...)
	if err != nil {
		return 0, callError(ctx, op, err)
	}
	var answer struct {
		Code *int `json:"code"`
	}
	if json.Unmarshal(resp.RawBody, &answer) != nil || answer.Code == nil {
		return 0, answerError(op, resp.StatusCode, resp.Header, noCode)
	}
	if *answer.Code != 0 {
		return *answer.Code, answerError(op, resp.StatusCode, resp.Header, *answer.Code)
	}
	if out != nil && json.Unmarshal(resp.RawBody, out) != nil {
		return 0, answerError(op, resp.StatusCode, resp.Header, noCode)
	}
	return 0, nil
}

// fetchToken asks for a tenant_access_token. The platform gives the same one
// to everybody while it has 30 minutes left, so instances do not disturb each
// other.
func (c *Client) fetchToken(ctx context.Context) (string, time.Duration, error) {
	var out struct {
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // seconds
	}
	const op = "fetch token"
	_, err := c.request(ctx, op, &larkcore.ApiReq{
		HttpMethod:                http.MethodPost,
		ApiPath:                   "/open-apis/auth/v3/tenant_access_token/internal",
		Body:                      map[string]string{"app_id": c.config.AppId, "app_secret": c.config.AppSecret},
		SupportedAccessTokenTypes: []larkcore.AccessTokenType{larkcore.AccessTokenTypeNone},
	}, &out)
	if err != nil {
		return "", 0, err
	}
	if out.Token == "" {
		return "", 0, answerError(op, http.StatusOK, nil, noCode)
	}
	return out.Token, time.Duration(out.Expire) * time.Second, nil
}

// bounded reads at most 1 MB of an answer: the core reads all there is.
type bounded struct{ c *http.Client }

func (b bounded) Do(r *http.Request) (*http.Response, error) {
	resp, err := b.c.Do(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, 1<<20), resp.Body}
	}
	return resp, err
}

// codec keeps < > & as they are: escaped they would cost six bytes each of a
// card's 30 KB.
type codec struct{}

func (codec) Serialize(v any) ([]byte, error) { return encode(v), nil }

// Deserialize never fails: whether an answer is readable is seen in request.
func (codec) Deserialize(b []byte, v any) error {
	_ = json.Unmarshal(b, v)
	return nil
}

// silent keeps the SDK from logging: it would print paths and whole answers.
type silent struct{}

func (silent) Debug(context.Context, ...any) {}
func (silent) Info(context.Context, ...any)  {}
func (silent) Warn(context.Context, ...any)  {}
func (silent) Error(context.Context, ...any) {}

package doctor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/store"
)

// way is one way of being wrong. before changes what is opened, after breaks
// what runs. wrong are the checks that have to turn red, and no other may.
type way struct {
	name   string
	wrong  []string
	before func(*world)
	after  func(*world)
	says   string // in one of the red findings
}

type object = map[string]any

// ways has a row for each way of being wrong that doctor knows (U4);
// TestU4_EachCheckHasItsRow holds it to that.
var ways = []way{
	// the address
	{"nothing answers", []string{"address.silent"}, nil, func(w *world) { w.target.URL = "http://127.0.0.1:1" }, "Nothing answers"},
	{"the api function fails", []string{"address.failing"}, nil, func(w *world) { w.answer("front GET /v1/items", 502, object{"message": "Bad gateway"}) }, "502"},
	{"another site is there", []string{"address.other"}, nil, func(w *world) { w.answer("front GET /v1/items", 404, object{"message": "Not Found"}) }, "Something else"},
	{"the API lists items to anybody", []string{"address.open"}, nil, func(w *world) { w.answer("front GET /v1/items", 200, object{"items": []any{}}) }, "did not sign in"},
	{"plain HTTP in the open", []string{"address.plain", "address.silent"}, nil, func(w *world) {
		w.target.URL = "http://postern.example.com"
		w.target.HTTP.Transport = unreachable{}
	}, "not HTTPS"},
	// entrances
	{"a function that was not told of its secret", []string{"slack.entrance.off"}, func(w *world) { w.opened.Slack = nil }, nil, "404"},
	{"an entrance that takes anything", []string{"github.entrance.open"}, nil, func(w *world) { w.answer("front POST /hooks/github", 200, object{}) }, "nobody signed"},
	{"an entrance that fails", []string{"feishu.entrance.failing"}, nil, func(w *world) { w.answer("front POST /hooks/feishu", 500, object{}) }, "FeishuFunction"},
	{"Slack's secret was changed, the function has the old one", []string{"slack.entrance.stale"}, nil,
		func(w *world) {
			w.secret("slack", func(v map[string]string) { v["signing_secret"] = "another-signing-secret" })
		}, "signed with the secret that is stored"},
	{"Feishu's Encrypt Key was changed", []string{"feishu.entrance.stale"}, nil,
		func(w *world) {
			w.secret("feishu", func(v map[string]string) { v["encrypt_key"] = "another-encrypt-key" })
		}, "--restart"},
	{"GitHub's webhook secret was changed", []string{"github.entrance.stale"}, nil,
		func(w *world) {
			w.secret("github", func(v map[string]string) { v["webhook_secret"] = "another-webhook-secret" })
		}, "401"},
	// secrets
	{"a secret that is gone", []string{"slack.secret.unread"}, nil, func(w *world) { w.lose("slack") }, "cannot be read"},
	{"Feishu's secret is gone", []string{"feishu.secret.unread"}, nil, func(w *world) { w.lose("feishu") }, "GetSecretValue"},
	{"GitHub's secret is gone", []string{"github.secret.unread"}, nil, func(w *world) { w.lose("github") }, "cannot be read"},
	{"no signing secret", []string{"slack.secret"}, nil, func(w *world) { w.secret("slack", without("signing_secret")) }, "signing_secret is empty"},
	{"a token with a line break", []string{"slack.secret"}, nil, func(w *world) { w.secret("slack", func(v map[string]string) { v["bot_token"] += "\n" }) }, "white space"},
	{"no Encrypt Key", []string{"feishu.secret"}, nil, func(w *world) { w.secret("feishu", without("encrypt_key")) }, "encrypt_key"},
	{"no private key", []string{"github.secret"}, nil, func(w *world) { w.secret("github", without("private_key")) }, "private_key"},
	{"a private key that is none", []string{"github.secret"}, nil, func(w *world) { w.secret("github", func(v map[string]string) { v["private_key"] = "not a PEM file" }) }, "private_key"},
	{"the key of buttons is gone", []string{"link.secret.unread"}, nil, func(w *world) { w.lose("link") }, "signs buttons"},
	{"the key of buttons is short", []string{"link.secret"}, nil, func(w *world) { w.secret("link", func(v map[string]string) { v["key"] = "short" }) }, "16 characters"},
	// Slack
	{"Slack is not reached", []string{"slack.silent"}, nil, func(w *world) { w.answer("back POST /slack/auth.test", 503, object{}) }, "does not answer"},
	{"the token was revoked", []string{"slack.token"}, nil, func(w *world) {
		w.answer("back POST /slack/auth.test", 200, object{"ok": false, "error": "token_revoked"})
	}, "token_revoked"},
	{"a person's token", []string{"slack.bot"}, nil, func(w *world) {
		w.answer("back POST /slack/auth.test", 200, object{"ok": true, "team_id": "T0DEV", "user_id": "U1"})
	}, "not a bot's"},
	{"a scope is missing", []string{"slack.scopes"}, nil, func(w *world) {
		w.scopes("app_mentions:read,channels:history,groups:history,im:history,mpim:history")
	}, "chat:write"},
	{"another workspace's token", []string{"policy.account", "slack.team"}, nil, func(w *world) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.instead["back POST /slack/auth.test"] = func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-OAuth-Scopes", w.platform.Slack.Config().Scopes)
			_, _ = rw.Write([]byte(`{"ok":true,"team_id":"T9","user_id":"U1","bot_id":"B1"}`))
		}
	}, "no Source of the policy listens"},
	{"a channel that is not there", []string{"slack.channel"}, nil, func(w *world) { w.apply(strings.Replace(rules, "C0APPROVALS", "C0NOWHERE", 1)) }, "channel_not_found"},
	{"the bot is not in the approval channel", []string{"slack.outside"}, nil, func(w *world) {
		w.answer("back POST /slack/conversations.history", 200, object{"ok": false, "error": "not_in_channel"})
	}, "/invite"},
	{"the approval channel is archived", []string{"slack.archived"}, nil, func(w *world) {
		w.answer("back POST /slack/conversations.info", 200, object{"ok": true, "channel": object{"id": "C0APPROVALS", "is_member": true, "is_archived": true}})
	}, "archived"},
	{"Slack's clicks never arrive", []string{"slack.clicks"}, func(w *world) { w.unclicked = "slack" }, func(w *world) { w.card("slack", start.Add(-2*time.Hour)) }, "clicks never arrive"},
	// Feishu
	{"Feishu is not reached", []string{"feishu.silent"}, nil, func(w *world) {
		w.answer("back POST /feishu/open-apis/auth/v3/tenant_access_token/internal", 502, "gateway")
	}, "does not answer"},
	{"the app secret is wrong", []string{"feishu.token"}, nil, func(w *world) { w.platform.Feishu.SetAppSecret("changed-in-the-console") }, "tenant token"},
	{"the bot is off", []string{"feishu.bot"}, nil, func(w *world) {
		w.answer("back GET /feishu/open-apis/bot/v3/info", 400, object{"code": 230006, "msg": "bot not activated"})
	}, "no bot"},
	{"the secret names another bot", []string{"feishu.other"}, nil, func(w *world) {
		w.secret("feishu", func(v map[string]string) { v["bot_open_id"] = "ou_another" })
	}, "bot_open_id"},
	{"no Source listens to the app", []string{"feishu.app"}, nil, func(w *world) {
		w.apply(strings.ReplaceAll(rules, "cli_dev", "cli_other"))
	}, "cli_dev"},
	{"a binding of another app", []string{"policy.account"}, nil, func(w *world) {
		w.apply(rules + "      - {surface: feishu, account: cli_other, channel: oc_1}\n")
	}, "not cli_dev"},
	{"Feishu's callback URL is not set", []string{"feishu.clicks"}, func(w *world) { w.unclicked = "feishu" }, func(w *world) { w.card("feishu", start.Add(-2*time.Hour)) }, "Feishu's callback URL is not set: clicks never arrive"},
	// GitHub
	{"GitHub is not reached", []string{"github.silent"}, nil, func(w *world) { w.answer("back GET /github/app", 500, object{}) }, "does not answer"},
	{"the App's key was replaced", []string{"github.token"}, nil, func(w *world) {
		w.answer("back GET /github/app", 401, object{"message": "A JSON web token could not be decoded"})
		w.answer("back POST /github/app/installations/7700/access_tokens", 401, object{"message": "Bad credentials"})
	}, "the App's key"},
	{"another slug", []string{"github.slug"}, nil, func(w *world) { w.app(func(o object) { o["slug"] = "postern-two" }) }, "postern-two"},
	{"an event is not subscribed to", []string{"github.events"}, nil, func(w *world) {
		w.app(func(o object) { o["events"] = []string{"issues", "issue_comment"} })
	}, "pull_request"},
	{"no such installation", []string{"github.installation"}, nil, func(w *world) {
		w.answer("back GET /github/app/installations/7700", 404, object{"message": "Not Found"})
	}, "no such installation"},
	{"a suspended installation", []string{"github.suspended"}, nil, func(w *world) {
		w.installation(object{"suspended_at": "2026-11-01T00:00:00Z"})
	}, "suspended"},
	{"a permission was not accepted", []string{"github.permissions"}, nil, func(w *world) {
		w.installation(object{"permissions": object{"metadata": "read", "issues": "read", "pull_requests": "write", "actions": "read", "checks": "read"}})
	}, "issues: write"},
	{"the webhook goes elsewhere", []string{"github.hook"}, nil, func(w *world) {
		w.answer("back GET /github/app/hook/config", 200, object{"url": "https://old.example.com/hooks/github", "content_type": "json"})
	}, "old.example.com"},
	{"deliveries failed", []string{"github.deliveries"}, nil, func(w *world) {
		to := github.Hook{URL: w.target.URL + "/hooks/nowhere", Client: http.DefaultClient}
		if _, err := w.platform.GitHub.Ping(w.ctx, to); err != nil {
			w.Fatal(err)
		}
	}, "could not deliver 1 events"},
	{"a repository without the App", []string{"github.repository"}, nil, func(w *world) {
		w.apply(strings.Replace(rules, "accounts: [acme/shop]", "accounts: [acme/shop, acme/infra]", 1))
	}, "acme/infra"},
	{"an approvals issue that is not there", []string{"github.issue"}, nil, func(w *world) {
		w.apply(strings.Replace(rules, `channel: "1"`, `channel: "404"`, 1))
	}, "acme/shop#404"},
	// the model
	{"the model cannot be made", []string{"model.secret"}, nil, func(w *world) {
		w.target.Model = func(context.Context) (Talker, string, error) {
			return nil, "", errors.New("openai: no API key; set api_key")
		}
	}, "api_key"},
	{"the model's key is refused", []string{"model.key"}, nil, func(w *world) { w.model = &model.Error{Kind: model.Refused, Err: errors.New("openai: HTTP 401")} }, "refuses the key"},
	{"no such model", []string{"model.name"}, nil, func(w *world) { w.model = &model.Error{Kind: model.BadRequest, Err: errors.New("openai: HTTP 404")} }, "m-1"},
	{"the model is not reached", []string{"model.silent"}, nil, func(w *world) { w.model = &model.Error{Kind: model.Unavailable, Err: errors.New("no route")} }, "does not answer"},
	{"no access to Bedrock's model", []string{"model.key"}, nil, func(w *world) {
		w.target.Provider = "bedrock"
		w.model = &model.Error{Kind: model.Refused, Err: errors.New("bedrock: status 403 AccessDeniedException")}
	}, "aws-marketplace:Subscribe"},
	{"no such model on Bedrock", []string{"model.name"}, nil, func(w *world) {
		w.target.Provider = "bedrock"
		w.model = &model.Error{Kind: model.BadRequest, Err: errors.New("bedrock: status 400 ValidationException")}
	}, "parameter BedrockModel"},
	{"Bedrock is not reached", []string{"model.silent"}, nil, func(w *world) {
		w.target.Provider = "bedrock"
		w.model = &model.Error{Kind: model.Unavailable, Err: errors.New("no route")}
	}, "offered in this Region"},
	// the table and the policy
	{"the table is not reached", []string{"table.silent"}, nil, func(w *world) { w.target.Store = store.New(silent{}) }, "cannot be read"},
	{"no policy was ever saved", []string{"policy.none"}, nil, func(w *world) { w.target.Store = store.New(empty{}) }, "No policy is saved"},
	{"no owners", []string{"policy.approvers", "policy.owners"}, nil, func(w *world) { w.apply(strings.Replace(rules, "[panel:ada]", "[]", 1)) }, "names no owners"},
	{"a queue that nobody can answer", []string{"policy.approvers"}, nil, func(w *world) { w.apply(strings.Replace(rules, "approvers: [slack:T0DEV/U0ADA]", "approvers: []", 1)) }, "queue ops"},
	{"a Source of a platform that is not connected", []string{"policy.source"}, func(w *world) {
		w.opened.Feishu = nil
		delete(w.target.Secrets, "feishu")
	}, nil, "feishu"},
	{"a binding on a platform that is not connected", []string{"policy.binding", "policy.source"}, func(w *world) {
		w.opened.Slack = nil
		delete(w.target.Secrets, "slack")
	}, nil, "Queue ops"},
	{"a card that cannot be shown", []string{"cards.undelivered"}, nil, func(w *world) {
		at := trigger.Place{Surface: "slack", Account: "T0DEV", Channel: "C0APPROVALS"}
		w.write(store.NewShown("x", at, true, start.Add(-time.Hour)))
		row, err := w.run.Store.Shown(w.ctx, "x", at)
		if err != nil {
			w.Fatal(err)
		}
		row.Error, row.Attempts = "send: invalid_blocks (final)", 4
		w.write(store.SaveShown(*row))
	}, "invalid_blocks"},
	// what moves inside
	{"dead letters", []string{"queues.dead"}, nil, func(w *world) {
		w.target.Queues = func(context.Context) (map[string]Depth, error) {
			return map[string]Depth{"triggers": {Dead: 2}, "turns": {}}, nil
		}
	}, "postern redrive triggers --stack t"},
	{"stream records given up", []string{"queues.dead"}, nil, func(w *world) {
		w.target.Queues = func(context.Context) (map[string]Depth, error) { return map[string]Depth{"dispatch": {Dead: 1}}, nil }
	}, "pointers"},
	{"queues that cannot be asked", []string{"queues.silent"}, nil, func(w *world) {
		w.target.Queues = func(context.Context) (map[string]Depth, error) { return nil, errors.New("AccessDenied") }
	}, "AccessDenied"},
	{"a reconciler that does not run", []string{"reconciler.silent"}, nil, func(w *world) {
		w.target.Reconciled = func(context.Context) (time.Time, error) { return start.Add(-16 * time.Minute), nil }
	}, "15 minutes"},
	{"a reconciler that never ran", []string{"reconciler.silent"}, nil, func(w *world) {
		w.target.Reconciled = func(context.Context) (time.Time, error) { return time.Time{}, nil }
	}, "15 minutes"},
	{"a wake past due", []string{"reconciler.behind"}, nil, func(w *world) {
		w.write(store.NewWake(wake.Wake{ID: "w", Session: "s", State: wake.Pending, At: start.Add(-time.Hour), Created: start}))
	}, "1 things are overdue"},
	{"a ring that nobody moved", []string{"reconciler.behind"}, nil, func(w *world) {
		w.write(store.NewOutbox(store.Outbox{ID: "o", Bells: []store.Bell{{Ring: store.RingTurn, Session: "s"}}, Created: start.Add(-time.Hour)}))
	}, "overdue"},
	{"an item past its expiry", []string{"reconciler.behind"}, nil, func(w *world) {
		w.write(store.NewItem(inbox.Item{ID: "i", Session: "s", Kind: inbox.Approval, State: inbox.Pending, Created: start, Expires: start.Add(-time.Hour), Version: 1},
			inbox.Body{Item: "i"})...)
	}, "overdue"},
}

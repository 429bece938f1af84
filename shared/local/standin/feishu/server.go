// Package feishu is a stand-in of the Feishu open platform for development and
// tests: the few endpoints that Postern calls, spoken over HTTP so that the
// official SDK uses it unmodified, and the people of its chats, whose words and
// taps it encrypts, signs and delivers as the platform does.
//
// It keeps everything in memory, decides nothing of Postern's, and must never
// be reachable from outside the machine.
package feishu

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	edge "github.com/postern-dev/postern/shared/edge/feishu"
)

// DevSecrets are the secrets of local development. They protect nothing.
func DevSecrets() edge.Secrets {
	return edge.Secrets{
		AppID: "cli_dev", AppSecret: "dev-feishu-app-secret",
		EncryptKey: "dev-feishu-encrypt-key", VerificationToken: "dev-feishu-token",
		BotOpenID: "ou_agent",
	}
}

// Tenant is the tenant of all the stand-in's people.
const Tenant = "t_dev"

// Server is one app's platform. It is an http.Handler for the API; mount it
// anywhere, since it looks at the path from /open-apis/ on. Safe for
// concurrent use.
type Server struct {
	secrets edge.Secrets
	botID   string
	now     func() time.Time

	mu         sync.Mutex
	prefix     string // of all ids, from the time of the start: no id comes twice
	count      int
	chats      map[string]*Chat
	people     map[string]string // open_id to name
	messages   []*Message
	byID       map[string]*Message
	sent       map[string]once // by uuid
	token      string
	tokenEnds  time.Time
	tokens     map[string]time.Time // valid tokens and their ends
	faults     []*Fault
	calls      map[string]int // by operation
	deliveries []Delivered
	presses    []Press
}

type once struct {
	message string
	at      time.Time
}

// Chat kinds, by the platform's names in events.
const (
	Group      = "group"
	TopicGroup = "topic_group"
	Direct     = "p2p"
)

// Chat is one conversation that the bot is in.
type Chat struct {
	ID, Name, Kind string
	Person         string // of a direct chat
}

// New makes a stand-in with the chat oc_ops and the people Ada, Bob and
// Mallory. The bot is secrets.BotOpenID, or ou_agent.
func New(secrets edge.Secrets, now func() time.Time) *Server {
	s := &Server{
		secrets: secrets, botID: secrets.BotOpenID, now: now,
		prefix: strconv.FormatInt(now().UnixMilli(), 36),
		chats:  map[string]*Chat{}, people: map[string]string{}, sent: map[string]once{},
		tokens: map[string]time.Time{}, byID: map[string]*Message{}, calls: map[string]int{},
	}
	if s.botID == "" {
		s.botID = "ou_agent"
	}
	s.AddChat(Chat{ID: "oc_ops", Name: "ops", Kind: Group})
	for id, name := range map[string]string{"ou_ada": "Ada", "ou_bob": "Bob", "ou_mallory": "Mallory"} {
		s.AddPerson(id, name)
	}
	return s
}

// AddChat puts the bot into a chat.
func (s *Server) AddChat(c Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[c.ID] = &c
}

// AddPerson makes a person of the tenant, with a direct chat with the bot.
func (s *Server) AddPerson(openID, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people[openID] = name
	id := directChat(openID)
	s.chats[id] = &Chat{ID: id, Name: name, Kind: Direct, Person: openID}
}

// directChat is the id of a person's chat with the bot.
func directChat(openID string) string { return "oc_p2p_" + strings.TrimPrefix(openID, "ou_") }

// DirectChat is the id of a person's direct chat with the bot.
func (s *Server) DirectChat(openID string) string { return directChat(openID) }

// id makes a new id; s.mu is held.
func (s *Server) id(kind string) string {
	s.count++
	return kind + s.prefix + "_" + strconv.Itoa(s.count)
}

// ServeHTTP answers one API call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if i := strings.Index(path, "/open-apis/"); i >= 0 {
		path = path[i+len("/open-apis/"):]
	}
	op, args := route(r.Method, strings.Split(path, "/"))
	var body map[string]json.RawMessage
	if r.Body != nil {
		_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body)
	}
	a := s.call(op, args, r, body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Tt-Logid", "standin"+strconv.Itoa(a.status))
	if a.wait > 0 {
		w.Header().Set("X-Ogw-Ratelimit-Reset", strconv.Itoa(a.wait))
	}
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

// Operations, as faults and calls name them.
const (
	OpToken  = "token"
	OpBot    = "bot"
	OpCreate = "create"
	OpReply  = "reply"
	OpPatch  = "patch"
	OpPut    = "put"
)

func route(method string, p []string) (op string, args []string) {
	switch {
	case method == "POST" && len(p) == 4 && p[0] == "auth" && p[2] == "tenant_access_token" && p[3] == "internal":
		return OpToken, nil
	case method == "GET" && len(p) == 3 && p[0] == "bot" && p[2] == "info":
		return OpBot, nil
	case len(p) < 3 || p[0] != "im" || p[1] != "v1" || p[2] != "messages":
		return "", nil
	case method == "POST" && len(p) == 3:
		return OpCreate, nil
	case method == "POST" && len(p) == 5 && p[4] == "reply":
		return OpReply, p[3:4]
	case method == "PATCH" && len(p) == 4:
		return OpPatch, p[3:4]
	case method == "PUT" && len(p) == 4:
		return OpPut, p[3:4]
	}
	return "", nil
}

// answer is what goes back over HTTP.
type answer struct {
	status, wait int
	body         map[string]any
}

func ok(data any) answer {
	return answer{status: 200, body: map[string]any{"code": 0, "msg": "success", "data": data}}
}

// refused is an error as the platform gives it: HTTP 400 and a code.
func refused(code int) answer {
	return answer{status: 400, body: map[string]any{"code": code, "msg": "stand-in refuses: " + strconv.Itoa(code)}}
}

func (s *Server) call(op string, args []string, r *http.Request, body map[string]json.RawMessage) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[op]++
	if op == "" {
		return answer{status: 404, body: map[string]any{"code": 99991404, "msg": "stand-in: no such call"}}
	}
	fault := s.takeFault(op)
	if fault != nil && !fault.After {
		return fault.answer()
	}
	a := s.do(op, args, r, body)
	if fault != nil {
		return fault.answer()
	}
	return a
}

func (s *Server) do(op string, args []string, r *http.Request, body map[string]json.RawMessage) answer {
	if op == OpToken {
		return s.giveToken(body)
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ends, known := s.tokens[token]; !known || !s.now().Before(ends) {
		return refused(99991663)
	}
	switch op {
	case OpBot:
		a := ok(nil)
		delete(a.body, "data")
		a.body["bot"] = map[string]any{"activate_status": 2, "app_name": "Postern", "open_id": s.botID}
		return a
	case OpCreate:
		return s.create(r.URL.Query().Get("receive_id_type"), body)
	case OpReply:
		return s.reply(args[0], body)
	case OpPatch:
		return s.patch(args[0], body)
	default:
		return refused(230054) // PUT changes texts only, and we send none that change
	}
}

// giveToken gives the present tenant token while it has 30 minutes left, else
// a new one; both stay valid to their ends.
func (s *Server) giveToken(body map[string]json.RawMessage) answer {
	if str(body["app_id"]) != s.secrets.AppID || str(body["app_secret"]) != s.secrets.AppSecret {
		return answer{status: 200, body: map[string]any{"code": 10014, "msg": "stand-in: app secret invalid"}}
	}
	now := s.now()
	if _, valid := s.tokens[s.token]; !valid || s.tokenEnds.Sub(now) < 30*time.Minute {
		s.token, s.tokenEnds = s.id("t-"), now.Add(2*time.Hour)
		s.tokens[s.token] = s.tokenEnds
	}
	return answer{status: 200, body: map[string]any{
		"code": 0, "msg": "ok", "tenant_access_token": s.token, "expire": int(s.tokenEnds.Sub(now).Seconds()),
	}}
}

// str reads a JSON string; anything else is empty.
func str(raw json.RawMessage) string {
	var v string
	_ = json.Unmarshal(raw, &v)
	return v
}

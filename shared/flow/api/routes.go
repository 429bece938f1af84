package api

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// Document is the OpenAPI 3.1 document of the API (U10). A test drives all it
// says, and nothing but that. docs holds a copy for readers.
//
//go:generate cp openapi.yaml ../../../docs/openapi.yaml
//go:embed openapi.yaml
var Document []byte

// route is one operation of the API.
type route struct {
	method, path string
	serve        http.HandlerFunc
}

func (h *Handler) routes() []route {
	return []route{
		{"POST", "/v1/sessions", h.agent(h.open)},
		{"POST", "/v1/sessions/{session}/calls", h.inSession(h.submit)},
		{"GET", "/v1/sessions/{session}/calls/{call}", h.inSession(h.lookUp)},
		{"POST", "/v1/sessions/{session}/calls/{call}/spend", h.inSession(h.spendGrant)},
		{"POST", "/v1/sessions/{session}/calls/{call}/outcome", h.inSession(h.tellOutcome)},
		{"GET", "/v1/items", h.person(h.items)},
		{"POST", "/v1/items/{item}/answer", h.person(h.answer)},
		{"GET", "/v1/openapi.yaml", document},
	}
}

// Routes are the API's paths. Whatever else is asked for below /v1/, and
// whatever a browser sends from another site, is refused as a problem too.
func (h *Handler) Routes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(h.refuses(problem(403, "cross_origin", "a page of another site sent this; the API takes nothing from it")))
	methods := map[string][]string{}
	for _, r := range h.routes() {
		mux.Handle(r.method+" "+r.path, cross.Handler(r.serve))
		methods[r.path] = append(methods[r.path], r.method)
	}
	for path, list := range methods {
		if slices.Contains(list, http.MethodGet) {
			list = append(list, http.MethodHead)
		}
		allow, refuse := strings.Join(list, ", "), h.refuses(problem(405, "method_not_allowed", "this address takes another method"))
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", allow)
			refuse(w, r)
		})
	}
	mux.HandleFunc("/v1/", h.refuses(problem(404, "no_such_path", "there is nothing at this address; GET /v1/openapi.yaml says what there is")))
}

func (h *Handler) refuses(p *Problem) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.fail(w, r, p) }
}

func document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(Document)
}

// known reports whether an id can be one of ours at all.
func known(id string) bool { return len(id) <= 100 && utf8.ValidString(id) }

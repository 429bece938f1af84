package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// most is how much of an answer is read.
const most = 1 << 16

// answer is how an address answered; status 0 is not at all, and why says why.
type answer struct {
	status int
	body   []byte
	why    string
}

func (a answer) String() string {
	if a.status == 0 {
		return "does not answer (" + a.why + ")"
	}
	return "answers " + strconv.Itoa(a.status)
}

// ask makes one request of the deployment.
func (d *doctor) ask(ctx context.Context, method, path string, h http.Header, body []byte) answer {
	req, err := http.NewRequestWithContext(ctx, method, d.URL+path, bytes.NewReader(body))
	if err != nil {
		return answer{why: "the address is not one"}
	}
	for name, values := range h {
		req.Header[name] = values
	}
	resp, err := d.HTTP.Do(req)
	if err != nil {
		return answer{why: cause(err)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil {
		return answer{why: cause(err)}
	}
	return answer{status: resp.StatusCode, body: raw}
}

// cause is why a call failed, without the address it went to.
func cause(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// address asks the API as nobody in particular. Postern answers that with 401
// and a code of its own, so this tells whether it is there, whether it is
// Postern, and whether its door is closed (U8).
func (d *doctor) address(ctx context.Context) bool {
	u, err := url.Parse(d.URL)
	if err == nil && u.Scheme != "https" && !loopback(u.Hostname()) {
		d.bad("address.plain", "The address "+d.URL+" is not HTTPS: sign-ins and signatures can be read on the way.",
			"Give the deployment an https:// address (parameter PublicUrl), or none, for the API's own.")
	}
	a := d.ask(ctx, http.MethodGet, "/v1/items", nil, nil)
	var p struct{ Code string }
	_ = json.Unmarshal(a.body, &p)
	switch {
	case a.status == 0:
		d.bad("address.silent", "Nothing answers at "+d.URL+" ("+a.why+").",
			"Is it deployed, or postern dev running? With an address of your own: does its DNS name lead to the API, and is its certificate valid?")
		return false
	case a.status >= 500:
		d.bad("address.failing", d.URL+" "+a.String()+": the api function fails.",
			"Read the log group of ApiFunction; docs/operations.md#entrance-failing says what it usually is.")
	case a.status == http.StatusUnauthorized && p.Code == "not_signed_in":
		d.ok("address", "Postern answers at "+d.URL+", and serves nobody who did not sign in.")
	case a.status == http.StatusOK && bytes.Contains(a.body, []byte(`"items"`)):
		d.bad("address.open", "The API at "+d.URL+" lists items to somebody who did not sign in.",
			"Take it off the net now: something in front of it signs people in, or this is no release of Postern.")
	default:
		d.bad("address.other", "Something else than Postern is at "+d.URL+": GET /v1/items "+a.String()+".",
			"Compare the address with the stack's output Panel; a proxy in front has to pass every path on.")
		return false
	}
	return true
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (ip != nil && ip.IsLoopback())
}

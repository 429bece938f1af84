package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver asks a name server on this machine which answers as the function
// does; without one it knows no names but the machine's own.
func resolver(t *testing.T, names func(name string) netip.Addr) *net.Resolver {
	t.Helper()
	if names == nil {
		return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no name server")
		}}
	}
	server, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(answer(buf[:n], names), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", server.LocalAddr().String())
	}}
}

func answer(query []byte, names func(name string) netip.Addr) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q.Type == dnsmessage.TypeA {
		ip := names(strings.TrimSuffix(q.Name.String(), "."))
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: ip.As4()},
		}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// A public name that resolves to an address inside leads nowhere, and one that
// was good at the first look is judged again at the next.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	var asked, reached atomic.Int32
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Connection", "close") // so that the next one dials again
		_, _ = w.Write([]byte("fine"))
	})
	f := fetcher(t, func(name string) netip.Addr {
		switch name {
		case "turns.example":
			if asked.Add(1) > 1 {
				return netip.MustParseAddr("127.0.0.2")
			}
			return netip.MustParseAddr("127.0.0.1")
		case "inside.example":
			return netip.MustParseAddr("10.0.0.1")
		}
		return netip.MustParseAddr("169.254.169.254")
	}, loopback)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, name := range []string{"inside.example", "metadata.example"} {
		out, err := fetch(f, "http://"+name+":"+port+"/")
		refused(t, name, out, err, "not a public one")
	}
	if out, err := fetch(f, "http://turns.example:"+port+"/"); err != nil || !strings.HasSuffix(out, "fine") {
		t.Fatalf("%q, %v", out, err)
	}
	out, err := fetch(f, "http://turns.example:"+port+"/")
	refused(t, "at the second look", out, err, "not a public one")
	if reached.Load() != 1 {
		t.Errorf("reached %d times", reached.Load())
	}
}

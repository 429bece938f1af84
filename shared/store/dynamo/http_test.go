package dynamo

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// closing is a body as the SDK's: closed by others at any time.
type closing struct {
	io.Reader
	closed bool
}

var errClosed = errors.New("read of a closed body")

func (c *closing) Read(p []byte) (int, error) {
	if c.closed {
		return 0, errClosed
	}
	return c.Reader.Read(p)
}

func (c *closing) Close() error { c.closed = true; return nil }

// late reads a request's body only after the SDK has closed it.
type late struct {
	body *closing
	got  string
	size int64
	err  error
}

func (l *late) RoundTrip(req *http.Request) (*http.Response, error) {
	l.body.Close()
	text, err := io.ReadAll(req.Body)
	l.got, l.size, l.err = string(text), req.ContentLength, err
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

func (l *late) Do(req *http.Request) (*http.Response, error) { return l.RoundTrip(req) }

func TestBufferBodies(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 1<<20)
	send := func(wrap func(*late) func(*http.Request) (*http.Response, error)) *late {
		l := &late{body: &closing{Reader: strings.NewReader(text)}}
		req, err := http.NewRequest(http.MethodPost, "http://127.0.0.1", l.body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wrap(l)(req); err != nil {
			t.Fatal(err)
		}
		return l
	}
	bare := send(func(l *late) func(*http.Request) (*http.Response, error) { return l.RoundTrip })
	if !errors.Is(bare.err, errClosed) {
		t.Fatalf("without the buffer: %v; this test shows nothing", bare.err)
	}
	tripper := send(func(l *late) func(*http.Request) (*http.Response, error) { return BufferBodies(l).RoundTrip })
	client := send(func(l *late) func(*http.Request) (*http.Response, error) {
		o := dynamodb.Options{HTTPClient: l}
		WithBufferedBodies(&o)
		return o.HTTPClient.Do
	})
	for _, l := range []*late{tripper, client} {
		if l.err != nil || l.got != text || l.size != 1<<20 {
			t.Errorf("%d bytes of %d, %v", len(l.got), l.size, l.err)
		}
	}
	var none dynamodb.Options
	if WithBufferedBodies(&none); none.HTTPClient == nil {
		t.Error("no client at all")
	}
}

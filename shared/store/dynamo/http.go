package dynamo

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// BufferBodies gives each request a body of its own before it is sent. The
// SDK may close a request's body while net/http still writes it, when the
// answer comes before all is sent; the connection is then lost, the request is
// repeated, and a conditional write meets its own success as a failed
// condition. A body in memory that nobody else holds cannot be closed early.
func BufferBodies(next http.RoundTripper) http.RoundTripper { return bufferBodies{next} }

type bufferBodies struct{ next http.RoundTripper }

func (b bufferBodies) RoundTrip(req *http.Request) (*http.Response, error) {
	own, err := buffered(req)
	if err != nil {
		return nil, err
	}
	return b.next.RoundTrip(own)
}

// WithBufferedBodies does the same to a client's own HTTP client, whatever it
// is: dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies).
func WithBufferedBodies(o *dynamodb.Options) {
	if o.HTTPClient == nil {
		o.HTTPClient = awshttp.NewBuildableClient()
	}
	o.HTTPClient = bufferedClient{o.HTTPClient}
}

type bufferedClient struct{ next dynamodb.HTTPClient }

func (b bufferedClient) Do(req *http.Request) (*http.Response, error) {
	own, err := buffered(req)
	if err != nil {
		return nil, err
	}
	return b.next.Do(own)
}

func buffered(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("buffer request body: %w", err)
	}
	own := req.Clone(req.Context())
	own.Body = io.NopCloser(bytes.NewReader(body))
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	own.ContentLength = int64(len(body))
	return own, nil
}

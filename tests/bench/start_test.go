package bench

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Goal: 25 ms from a function's process start to the first line of its
// handler: the moment it asks Lambda's runtime API for an event. The binary is
// this machine's own kind; Lambda's own part of a cold start is not in it.
func BenchmarkFunctionStart(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", bin, "./functions/gate")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	asked := make(chan time.Time, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	api := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- time.Now()
		<-r.Context().Done() // there is no event
	})}
	go func() { _ = api.Serve(l) }()
	defer api.Close()
	var total time.Duration
	n := 0
	for b.Loop() {
		total += started(b, bin, l.Addr().String(), asked)
		n++
	}
	b.ReportMetric(float64(total)/float64(time.Millisecond)/float64(n), "start-ms")
}

// started starts the function once and ends it when it has asked for work.
func started(b *testing.B, bin, api string, asked <-chan time.Time) time.Duration {
	cmd := exec.Command(bin)
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + api, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x",
		"AWS_LAMBDA_FUNCTION_NAME=gate", "POSTERN_TABLE=table", "POSTERN_TRIGGERS_QUEUE=http://127.0.0.1:1/triggers.fifo"}
	cmd.Stderr, cmd.Stdout = os.Stderr, os.Stdout
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	select {
	case at := <-asked:
		return at.Sub(began)
	case <-time.After(30 * time.Second):
		b.Fatal("the function asked for no event within 30 s")
	}
	return 0
}

// Package log sets up what a function writes: JSON lines with one correlation
// id from delivery to outcome, and metrics as lines of CloudWatch's embedded
// format (D8).
//
// It guards: known shapes of secrets are cut out of whatever is logged, and no
// metric has a session, a thread or a person as dimension (D9). The guard is
// the second line; the first is that nobody logs a body or a token.
package log

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// New makes a logger that writes JSON lines with the names that Lambda's own
// JSON format has: timestamp, level, message. It is safe for concurrent use.
func New(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(handler{Handler: slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: guard})})
}

// Level reads the level from POSTERN_LOG_LEVEL, or else from the one that
// Lambda's LoggingConfig sets; INFO if neither says one. getenv is os.Getenv.
func Level(getenv func(string) string) slog.Level {
	for _, name := range []string{"POSTERN_LOG_LEVEL", "AWS_LAMBDA_LOG_LEVEL"} {
		switch strings.ToUpper(getenv(name)) {
		case "TRACE", "DEBUG":
			return slog.LevelDebug
		case "INFO":
			return slog.LevelInfo
		case "WARN":
			return slog.LevelWarn
		case "ERROR", "FATAL":
			return slog.LevelError
		}
	}
	return slog.LevelInfo
}

type correlation struct{}

// With returns a context whose lines carry the correlation id.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, correlation{}, id)
}

// Correlation returns the id of With, empty if there is none.
func Correlation(ctx context.Context) string {
	id, _ := ctx.Value(correlation{}).(string)
	return id
}

// handler adds what the context knows to each line.
type handler struct {
	slog.Handler
	correlated bool // the logger carries a correlation id of its own
	grouped    bool // ids belong to the top, not into a group
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if !h.grouped {
		if id := Correlation(ctx); id != "" && !h.correlated {
			r = r.Clone()
			r.AddAttrs(slog.String("correlation", id))
		}
		if lambda, ok := lambdacontext.FromContext(ctx); ok {
			r = r.Clone()
			r.AddAttrs(slog.String("requestId", lambda.AwsRequestID))
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.correlated = h.correlated || (a.Key == "correlation" && !h.grouped)
	}
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

func (h handler) WithGroup(name string) slog.Handler {
	h.Handler, h.grouped = h.Handler.WithGroup(name), true
	return h
}

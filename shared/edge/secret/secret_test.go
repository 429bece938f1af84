package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

const value = "xoxb-very-secret"

// counted is a source that counts and can fail.
type counted struct {
	Static
	reads atomic.Int64
	fail  error
}

func (c *counted) Read(ctx context.Context, name string) (map[string]string, error) {
	c.reads.Add(1)
	if c.fail != nil {
		return nil, c.fail
	}
	return c.Static.Read(ctx, name)
}

func clock() (func() time.Time, func(time.Duration)) {
	now := time.Unix(1800000000, 0)
	return func() time.Time { return now }, func(d time.Duration) { now = now.Add(d) }
}

func TestC4_ReadOncePerInstance(t *testing.T) {
	t.Parallel()
	now, _ := clock()
	source := &counted{Static: Static{"slack": {"token": value}}}
	s := New(source, now)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := s.Value(t.Context(), "slack", "token"); err != nil || got != value {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	all.Wait()
	if n := source.reads.Load(); n != 1 {
		t.Errorf("%d reads", n)
	}
}

// D3: secrets are read side by side. In the bubble, time stands while anybody
// can run: one after the other would take two seconds.
// A connector's edge knows its own keys: it takes the whole secret, as a copy.
func TestC4_WholeSecretWhereNoKeyIsNamed(t *testing.T) {
	t.Parallel()
	now, _ := clock()
	s := New(Static{"slack": {"bot_token": value, "signing_secret": "s"}}, now)
	got, err := s.Values(t.Context(), "slack")
	if err != nil || len(got) != 2 || got["bot_token"] != value {
		t.Fatalf("got %d keys, %v; want both", len(got), err)
	}
	got["bot_token"] = "changed"
	if again, err := s.Value(t.Context(), "slack", "bot_token"); err != nil || again != value {
		t.Errorf("what was given out can be changed from outside (%v)", err)
	}
}

func TestD3_LoadedInParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		s := New(slow{}, time.Now)
		if err := s.Load(t.Context(), "a", "b"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("took %s", took)
		}
	})
}

type slow struct{}

func (slow) Read(context.Context, string) (map[string]string, error) {
	time.Sleep(time.Second)
	return map[string]string{"k": "v"}, nil
}

func TestQ8_SaysWhatToSet(t *testing.T) {
	t.Parallel()
	now, _ := clock()
	s := New(Static{"slack": {"token": value, "empty": ""}}, now)
	_, err := s.Values(t.Context(), "slack", "token", "signing_secret", "empty")
	if err == nil || err.Error() != "secret slack: set signing_secret, empty" {
		t.Errorf("got %v", err)
	}
	if got, err := s.Optional(t.Context(), "slack", "old_signing_secret"); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := s.Load(t.Context(), "slack", "github", "feishu"); err == nil ||
		!strings.Contains(err.Error(), "github") || !strings.Contains(err.Error(), "feishu") {
		t.Errorf("got %v", err)
	}
}

func TestC4_RefreshedAtMostOnceAMinute(t *testing.T) {
	t.Parallel()
	now, pass := clock()
	source := &counted{Static: Static{"slack": {"token": "old"}}}
	s := New(source, now)
	if _, err := s.Value(t.Context(), "slack", "token"); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		pass    time.Duration
		set     string
		changed bool
		reads   int64
		value   string
	}{
		{0, "old", false, 2, "old"},                // read again, nothing new
		{59 * time.Second, "new", false, 2, "old"}, // too early
		{time.Second, "new", true, 3, "new"},
		{time.Hour, "new", false, 4, "new"},
	}
	for i, step := range steps {
		pass(step.pass)
		source.Static = Static{"slack": {"token": step.set}}
		changed, err := s.Rejected(t.Context(), "slack")
		got, _ := s.Value(t.Context(), "slack", "token")
		if err != nil || changed != step.changed || source.reads.Load() != step.reads || got != step.value {
			t.Errorf("%d: changed %v, %d reads, %q, %v", i, changed, source.reads.Load(), got, err)
		}
	}
	// A reading that fails keeps what is known.
	pass(time.Hour)
	source.fail = errors.New("throttled")
	if _, err := s.Rejected(t.Context(), "slack"); !errors.Is(err, source.fail) {
		t.Errorf("got %v", err)
	}
	if got, err := s.Value(t.Context(), "slack", "token"); err != nil || got != "new" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestC4_FailedReadIsAskedAgain(t *testing.T) {
	t.Parallel()
	now, _ := clock()
	source := &counted{Static: Static{"slack": {"token": value}}, fail: errors.New("throttled")}
	s := New(source, now)
	if _, err := s.Value(t.Context(), "slack", "token"); err == nil {
		t.Fatal("no error")
	}
	source.fail = nil
	if got, err := s.Value(t.Context(), "slack", "token"); err != nil || got != value {
		t.Errorf("got %q, %v", got, err)
	}
}

type fake map[string]*secretsmanager.GetSecretValueOutput

func (f fake) GetSecretValue(_ context.Context, in *secretsmanager.GetSecretValueInput, _ ...func(*secretsmanager.Options)) (*secretsmanager.GetSecretValueOutput, error) {
	if out := f[*in.SecretId]; out != nil {
		return out, nil
	}
	return nil, errors.New("not found")
}

func TestC4_Manager(t *testing.T) {
	t.Parallel()
	hold := func(s string) *secretsmanager.GetSecretValueOutput {
		return &secretsmanager.GetSecretValueOutput{SecretString: aws.String(s)}
	}
	m := Manager{fake{
		"good": hold(fmt.Sprintf(`{"token":%q}`, value)), "number": hold(`{"token":"` + value + `","app_id":12345}`),
		"text": hold(value), "list": hold(`["` + value + `"]`), "null": hold("null"),
		"bytes": {SecretBinary: []byte(value)}}}
	got, err := m.Read(t.Context(), "good")
	if err != nil || got["token"] != value {
		t.Errorf("got %v, %v", got, err)
	}
	for _, name := range []string{"number", "text", "list", "null", "bytes", "missing"} {
		got, err := m.Read(t.Context(), name)
		if err == nil || got != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), "xoxb") || strings.Contains(err.Error(), "12345") {
			t.Errorf("%s: the error tells the value: %v", name, err)
		}
	}
}

func TestC4_FileForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	f := File{filepath.Join(t.TempDir(), "secrets.json")}
	if _, err := f.Read(t.Context(), "slack"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if made, err := f.Create(map[string]map[string]string{"slack": {"token": value}}); err != nil || !made {
		t.Fatal(made, err)
	}
	if made, err := f.Create(map[string]map[string]string{"slack": {"token": "other"}}); err != nil || made {
		t.Errorf("made again: %v, %v", made, err)
	}
	if got, err := f.Read(t.Context(), "slack"); err != nil || got["token"] != value {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := f.Read(t.Context(), "github"); err == nil || !strings.Contains(err.Error(), "github") {
		t.Errorf("got %v", err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o700 | 0o010} {
		if err := os.Chmod(f.Path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(t.Context(), "slack"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path), ".secrets-*"))
	if len(left) != 0 {
		t.Errorf("left behind %q", left)
	}
}

func TestC4_FileThatIsNone(t *testing.T) {
	t.Parallel()
	f := File{filepath.Join(t.TempDir(), "secrets.json")}
	for _, content := range []string{value, `{"slack":"` + value + `"}`, `{"slack":{"n":` + "12345" + `}}`, "null"} {
		if err := os.WriteFile(f.Path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(t.Context(), "slack"); err == nil || strings.Contains(err.Error(), "xoxb") || strings.Contains(err.Error(), "12345") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

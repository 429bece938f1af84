package setup

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const url = "https://abc.execute-api.eu-west-1.amazonaws.com"

// vault is a store in memory.
type vault struct {
	values map[string]string
	writes int
	fails  error
}

func (v *vault) Read(context.Context, string) (string, map[string]string, error) {
	if v.values == nil {
		return "", nil, v.fails
	}
	return "arn:1", maps.Clone(v.values), v.fails
}

func (v *vault) Write(_ context.Context, _ string, values map[string]string) (string, error) {
	v.values, v.writes = values, v.writes+1
	return "arn:1", nil
}

// talk answers a connector's questions, one line each.
func talk(v *vault, connector string, answers ...string) (Result, string, error) {
	var said strings.Builder
	in := strings.NewReader(strings.Join(answers, "\n") + "\n")
	r, err := Ask(context.Background(), &Terminal{In: in, Out: &said}, v, Connectors[connector], "p/"+connector, url, "")
	return r, said.String(), err
}

// U4: the first answers make the secret, after the manifest with the real
// address was shown; no answer is shown again.
func TestU4_TheFirstAnswersMakeTheSecret(t *testing.T) {
	t.Parallel()
	v := &vault{}
	r, said, err := talk(v, "slack", "sign-1234567890", "xoxb-token")
	if err != nil || !r.Made || !r.Changed || r.ARN != "arn:1" {
		t.Fatalf("%+v, %v", r, err)
	}
	if !maps.Equal(v.values, map[string]string{"signing_secret": "sign-1234567890", "bot_token": "xoxb-token"}) {
		t.Errorf("%v", v.values)
	}
	if strings.Count(said, url+"/hooks/slack") != 2 {
		t.Errorf("the manifest: %s", said)
	}
	if strings.Contains(said, "sign-1234567890") || strings.Contains(said, "xoxb-token") {
		t.Error("an answer was shown")
	}
}

// U4: asked again, empty answers change nothing and write nothing.
func TestU4_AskedAgainNothingChanges(t *testing.T) {
	t.Parallel()
	v := &vault{values: map[string]string{"signing_secret": "old", "bot_token": "xoxb-1", "api": "http://127.0.0.1"}}
	r, said, err := talk(v, "slack", "", "")
	if err != nil || r.Changed || r.Made || v.writes != 0 || !strings.Contains(said, "nothing changed") {
		t.Errorf("%+v, %d writes, %v: %s", r, v.writes, err, said)
	}
}

// D3: a signing secret that is replaced stays accepted until that is ended,
// and what setup does not know of is kept.
func TestD3_ARotatedSecretIsKeptBesideTheNewOne(t *testing.T) {
	t.Parallel()
	v := &vault{values: map[string]string{"signing_secret": "old", "bot_token": "xoxb-1", "api": "http://127.0.0.1"}}
	if _, _, err := talk(v, "slack", "new", ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"signing_secret": "new", "signing_secret_previous": "old", "bot_token": "xoxb-1", "api": "http://127.0.0.1"}
	if !maps.Equal(v.values, want) {
		t.Fatalf("%v", v.values)
	}
	if _, said, err := talk(v, "slack", "", "", "n"); err != nil || v.writes != 1 || !strings.Contains(said, "still accepted") {
		t.Errorf("%d writes, %v: %s", v.writes, err, said)
	}
	if _, _, err := talk(v, "slack", "", "", "y"); err != nil || v.values["signing_secret_previous"] != "" || v.values["signing_secret"] != "new" {
		t.Errorf("%v, %v", v.values, err)
	}
	f := &vault{values: map[string]string{"app_id": "cli_1", "app_secret": "s", "encrypt_key": "k1", "verification_token": "t1"}}
	if _, _, err := talk(f, "feishu", "", "", "", "k2", "t2"); err != nil || f.values["encrypt_key_before"] != "k1" || f.values["verification_token_before"] != "t1" {
		t.Errorf("%v, %v", f.values, err)
	}
}

// Q8: nothing is stored that the connector would refuse to start with.
func TestQ8_NothingHalfIsStored(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]string{
		"an answer that does not come": {"signing"},
		"one that stays empty":         {"", "", ""},
	} {
		v := &vault{}
		if _, _, err := talk(v, "slack", answers...); err == nil || v.writes != 0 {
			t.Errorf("%s: %v, %v", name, v.values, err)
		}
	}
	v := &vault{}
	bad := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(bad, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := talk(v, "github", "hook", "agent", "1", "2", bad); err == nil || v.writes != 0 || strings.Contains(err.Error(), "no key") {
		t.Errorf("%v, %v", v.values, err)
	}
	v.fails = errors.New("AccessDenied")
	if _, _, err := talk(v, "slack", "a", "b"); err == nil || v.writes != 0 {
		t.Errorf("%v, %v", v.values, err)
	}
}

// U4: GitHub takes an App's key from its file, or a token; one takes the
// other's place. An empty webhook secret makes one.
func TestU4_GitHubTakesAnAppOrAToken(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	v := &vault{}
	_, said, err := talk(v, "github", "", "agent", "77", "7700", file)
	if err != nil || v.values["private_key"] != string(text) || v.values["installation_id"] != "7700" {
		t.Fatalf("%v", err)
	}
	if made := v.values["webhook_secret"]; len(made) < 20 || !strings.Contains(said, made) || !strings.Contains(said, "github.com/settings/apps/new?") {
		t.Error(said)
	}
	delete(v.values, "app_id")
	if _, _, err := talk(v, "github", "", "", "", "ghp_x"); err != nil || v.values["token"] != "ghp_x" || v.values["private_key"] != "" {
		t.Errorf("%v", err)
	}
}

// The input is shared with the script that asks its own questions before and
// after: nothing is read ahead.
func TestU4_NothingIsReadAhead(t *testing.T) {
	t.Parallel()
	in := strings.NewReader("a\nxoxb-b\nthe next one's\n")
	v := &vault{}
	if _, err := Ask(context.Background(), &Terminal{In: in, Out: io.Discard}, v, Connectors["slack"], "n", url, "http://127.0.0.1/api"); err != nil {
		t.Fatal(err)
	}
	if v.values["api"] != "http://127.0.0.1/api" {
		t.Error(v.values)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "the next one's\n" {
		t.Errorf("%q is left", rest)
	}
}

func TestU4_EachConnectorSaysWhereItsSecretGoes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names {
		c := Connectors[name]
		if c.Name != name || !strings.Contains(string(raw), "\n  "+c.Parameter+":\n") {
			t.Errorf("%s: parameter %s is not the template's", name, c.Parameter)
		}
	}
	if len(Names) != len(Connectors) {
		t.Error(Names)
	}
}

package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
)

// Sign gives the file as its platform would send it at a time: headers and
// body anew, all else as it was. Slack and GitHub sign the body as it is. A
// Feishu body that is not encrypted yet gets the app's verification token and
// is encrypted first, as the platform does it.
func (s Secrets) Sign(f File, now time.Time) (File, error) {
	signed := f
	signed.At = now
	var fresh http.Header
	switch {
	case f.Platform == trigger.Slack && s.Slack != nil:
		fresh = slack.Sign(s.Slack.SigningSecret, f.Body, now)
	case f.Platform == trigger.GitHub && s.GitHub != nil:
		event, id := f.Header.Get("X-Github-Event"), f.Header.Get("X-Github-Delivery")
		if event == "" {
			return f, fmt.Errorf("the file names no event: set its x-github-event header, such as issue_comment")
		}
		if id == "" {
			id = guid(f.Body)
		}
		fresh = github.Sign(s.GitHub.WebhookSecret, f.Body, event, id)
	case f.Platform == trigger.Feishu && s.Feishu != nil:
		signed.Body = enveloped(*s.Feishu, f.Body)
		fresh = feishu.Sign(s.Feishu.EncryptKey, signed.Body, now)
	case f.Platform == "":
		return f, fmt.Errorf("nothing in the file says which platform it is from; end its rawPath with slack, feishu or github")
	default:
		return f, fmt.Errorf("there are no secrets of %s to sign with", f.Platform)
	}
	signed.Header = f.Header.Clone()
	for name, values := range fresh {
		if (name == "Content-Type" || name == "User-Agent") && f.Header.Get(name) != "" {
			continue // what the platform says of itself stays
		}
		signed.Header[http.CanonicalHeaderKey(name)] = values
	}
	return signed, nil
}

// guid is a delivery id made of a body, so that the same file gets the same one.
func guid(body []byte) string {
	h := hex.EncodeToString(sum(body))
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
}

func sum(b []byte) []byte {
	h := sha256.Sum256(b)
	return h[:]
}

// enveloped is a Feishu body as the platform sends it. One that is encrypted
// already, or is no JSON object, stays as it is.
func enveloped(s feishu.Secrets, body []byte) []byte {
	var plain map[string]json.RawMessage
	if json.Unmarshal(body, &plain) != nil || plain["encrypt"] != nil {
		return body
	}
	token, _ := json.Marshal(s.VerificationToken)
	var header map[string]json.RawMessage
	if json.Unmarshal(plain["header"], &header) == nil && header != nil {
		header["token"] = token
		plain["header"], _ = json.Marshal(header) // raw JSON that was read: cannot fail
	} else {
		plain["token"] = token // the URL check has it outside the header
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return body
	}
	return feishu.Encrypt(s.EncryptKey, text, [16]byte(sum(text)))
}

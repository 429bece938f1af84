package feishu

import (
	"os"
	"strings"
	"testing"
)

// B31: nothing reaches us if the callback address was not set or no version is
// published; the checklist names both addresses, both subscriptions, every
// field of the secret and every code that people see.
func TestB31Checklist(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../infra/feishu/checklist.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Event Configuration", "Callback Configuration", eventMessage, eventClick, "Publish", "200340", "200341", "200671", "200672", "200673",
		"app_id", "app_secret", "encrypt_key", "verification_token", "bot_open_id", "domain", "encrypt_key_before", "verification_token_before",
		"im:message:send_as_bot", "im:message:update", "im:message.p2p_msg", "/hooks/feishu", "230002", "99991672", "10014",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the checklist lacks %q", want)
		}
	}
}

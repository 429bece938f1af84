package github

import (
	"net/http"
	"strings"
	"testing"

	gogithub "github.com/google/go-github/v88/github"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// fourKB is a comment's delivery of 4 KB, with the fields around it that
// GitHub sends.
func fourKB(b *testing.B) []byte {
	b.Helper()
	p := comment("@postern-agent please look at the till\n\n```\n" + strings.Repeat("till: total is wrong\n", 20) + "```\n")
	for i := 0; ; i++ {
		body := encode(b, p)
		if len(body) >= 4<<10 {
			return body
		}
		p["repository"].(m)[strings.Repeat("x", i+1)+"_url"] = "https://api.github.com/repos/acme/shop/things{/id}"
	}
}

// BenchmarkReceive is verify, parse and normalise at 4 KB; the goal is 30 µs.
func BenchmarkReceive(b *testing.B) {
	body := fourKB(b)
	h := Sign(secret, body, "issue_comment", "guid-1")
	r := receiver(b)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := r.Receive(h, body)
		if err != nil || d.Trigger == nil || d.Trigger.Named != trigger.Mention {
			b.Fatal(err, d.Drop)
		}
	}
}

// BenchmarkReceiveSDK is the same delivery by go-github's own receiver, which
// looks for no mention.
func BenchmarkReceiveSDK(b *testing.B) {
	body := fourKB(b)
	h := Sign(secret, body, "issue_comment", "guid-1")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		sdk(b, h, body)
	}
}

// BenchmarkReceiveOctokit and its twin take a published example of 13 KB.
func BenchmarkReceiveOctokit(b *testing.B) {
	body := published(b)
	h := Sign(secret, body, "issue_comment", "guid-1")
	r := receiver(b)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if d, err := r.Receive(h, body); err != nil || d.Trigger == nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReceiveOctokitSDK(b *testing.B) {
	body := published(b)
	h := Sign(secret, body, "issue_comment", "guid-1")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		sdk(b, h, body)
	}
}

// BenchmarkMention reads texts of 64 KB that were made to take long.
func BenchmarkMention(b *testing.B) {
	for name, s := range map[string]string{"emphasis": "*a_", "links": "[a](", "quotes": "> ", "lists": "- ", "tags": "<a><b>", "code": "``a` ", "prose": "till is slow "} {
		body := strings.Repeat(s, 64<<10/len(s)) + " @bot "
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				named(body, "bot")
			}
		})
	}
}

func sdk(b *testing.B, h http.Header, body []byte) {
	b.Helper()
	if err := gogithub.ValidateSignature(h.Get(headerSignature), body, []byte(secret)); err != nil {
		b.Fatal(err)
	}
	if _, err := gogithub.ParseWebHook("issue_comment", body); err != nil {
		b.Fatal(err)
	}
}

func published(b *testing.B) []byte {
	b.Helper()
	for _, e := range octokit(b) {
		if e.Name == "issue_comment" {
			return e.Examples[0]
		}
	}
	b.Fatal("no example")
	return nil
}

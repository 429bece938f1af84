package feishu

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	larkevent "github.com/larksuite/oapi-sdk-go/v3/event"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"
)

// benchMessage is a message whose request body is about 4 KB.
func benchMessage() string {
	words := strings.Repeat("The build of acme/shop is red since noon. ", 55)
	content, _ := json.Marshal(map[string]string{"text": "@_user_1 " + words})
	return msg{content: string(content), mentions: atBot}.event("e1")
}

// Q5: verify, decrypt, parse, normalise at 4 KB; the goal is 30 µs.
func BenchmarkReceive4KB(b *testing.B) {
	r := testReceiver(b)
	h, body := seal(benchMessage())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if d, err := r.Receive(h, body); err != nil || d.Trigger == nil {
			b.Fatal(err)
		}
	}
}

// The official SDK's own receiver on the same delivery.
func BenchmarkSDKReceive4KB(b *testing.B) {
	s := testSecrets()
	handled := 0
	d := dispatcher.NewEventDispatcher(s.VerificationToken, s.EncryptKey).OnP2MessageReceiveV1(func(context.Context, *larkim.P2MessageReceiveV1) error {
		handled++
		return nil
	})
	d.InitConfig(larkevent.WithLogger(silent{}))
	h, body := seal(benchMessage())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		resp := d.Handle(context.Background(), &larkevent.EventReq{Header: h, Body: body, RequestURI: "/"})
		if resp.StatusCode != 200 {
			b.Fatal(fmt.Sprint(resp.StatusCode))
		}
	}
	if handled == 0 {
		b.Fatal("the SDK handled nothing")
	}
}

func BenchmarkRenderCard(b *testing.B) {
	c := goldenCards()["approval"]
	b.ReportAllocs()
	for b.Loop() {
		RenderCard(c)
	}
}

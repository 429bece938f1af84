package panel

import (
	"context"
	"fmt"
	"net/http"

	"golang.org/x/text/language"
)

// Languages of the panel (U5). The English words are their own keys; chinese
// holds the others. What agents and people wrote stays as it was written, and
// so do the reasons that the domain gives.
const (
	inEnglish = "en"
	inChinese = "zh-Hans"
)

var speaks = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})

type langKey struct{}

// spoken puts the language that a browser asks for into the request's context.
func spoken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Language")
		if _, at := language.MatchStrings(speaks, r.Header.Get("Accept-Language")); at == 1 {
			r = r.WithContext(context.WithValue(r.Context(), langKey{}, inChinese))
		}
		next.ServeHTTP(w, r)
	})
}

func lang(ctx context.Context) string {
	if l, ok := ctx.Value(langKey{}).(string); ok {
		return l
	}
	return inEnglish
}

// w is a word or sentence of the panel in the reader's language.
func w(ctx context.Context, english string) string {
	if lang(ctx) == inChinese {
		if there, ok := chinese[english]; ok {
			return there
		}
	}
	return english
}

// wf is w for a sentence with something in it, as in Sprintf. A translation
// that needs another order says so with %[2]s.
func wf(ctx context.Context, english string, in ...any) string {
	return fmt.Sprintf(w(ctx, english), in...)
}

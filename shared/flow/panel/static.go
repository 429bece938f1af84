package panel

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
)

//go:embed static
var static embed.FS

// assets are the addresses of the panel's own files, by name. An address
// changes with its file, so that a browser never shows an old file with a new
// page.
var assets = func() map[string]string {
	out := map[string]string{}
	list, err := static.ReadDir("static")
	for _, f := range list {
		var b []byte
		if b, err = static.ReadFile("static/" + f.Name()); err != nil {
			break
		}
		sum := sha256.Sum256(b)
		out[f.Name()] = "/static/" + f.Name() + "?v=" + hex.EncodeToString(sum[:6])
	}
	if err != nil {
		panic(err) // what is embedded can be read
	}
	return out
}()

// Asset is the address of one of the panel's own files, for pages beside the
// panel; empty if there is none of that name.
func Asset(name string) string { return assets[name] }

// files serves the embedded files.
func files() http.Handler {
	sub, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the name is valid: it is written here
	}
	serve := http.FileServerFS(sub)
	return http.StripPrefix("/static/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		serve.ServeHTTP(w, r)
	}))
}

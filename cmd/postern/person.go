package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// person is somebody who signed in, as this program keeps it: an answer needs
// a person's sign-in, never a key (I13).
type person struct {
	URL    string `json:"url"`
	Cookie string `json:"cookie"` // name=value
}

func sessionFlag(c *cobra.Command) *string {
	var file, dir string
	if d, err := os.UserConfigDir(); err == nil {
		dir = filepath.Join(d, "postern")
	}
	c.Flags().StringVar(&file, "session", filepath.Join(dir, "session.json"), "file with this program's sign-in")
	return &file
}

// client speaks to a Postern as its signed-in person. A redirect would carry
// the sign-in elsewhere, so none is followed.
var client = &http.Client{Timeout: 30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// signIn spends a link's key and keeps the sign-in in a file of mode 0600.
func signIn(ctx context.Context, base, key, file string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/login", strings.NewReader(url.Values{"key": {key}}.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("sign in: %w; is it running there? --url says where", err)
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		if strings.HasSuffix(c.Name, "postern") && resp.StatusCode == http.StatusSeeOther {
			raw, err := json.Marshal(person{URL: base, Cookie: c.Name + "=" + c.Value})
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			return private(file, raw)
		}
	}
	return fmt.Errorf("sign in: %s answered %d and signed nobody in; is it the Postern that the link was made for?", base, resp.StatusCode)
}

// private writes a file that only its owner can read.
func private(file string, raw []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

func signedIn(file string) (person, error) {
	var p person
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, &p) != nil || p.URL == "" {
		return p, fmt.Errorf("this program is not signed in; postern login --here does it")
	}
	return p, nil
}

// problem is Postern's no, with its stable code (U10).
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.Detail + " (" + p.Code + ")" }

// call makes one request as the person. in nil is a GET.
func (p person) call(ctx context.Context, path string, in, out any) error {
	method, body := http.MethodGet, io.Reader(nil)
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		method, body = http.MethodPost, bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.URL+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Cookie", p.Cookie)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", newID())
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusOK {
		return json.Unmarshal(text, out)
	}
	no := &problem{Status: resp.StatusCode}
	if json.Unmarshal(text, no) != nil || no.Code == "" {
		return fmt.Errorf("%s answered %d", p.URL, resp.StatusCode)
	}
	if no.Code == "not_signed_in" {
		return &exit{exitRefused, errors.New("the sign-in of this program is over; postern login --here makes a new one")}
	}
	return no
}

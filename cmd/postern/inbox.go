package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func inboxCommand() *cobra.Command {
	c := &cobra.Command{Use: "inbox", Short: "What waits for people, and answering it",
		Long: "Speaks to a Postern as a signed-in person (postern login --here). A key cannot answer (I13)."}
	c.AddCommand(inboxList(), inboxAnswer())
	return c
}

// item is an item as the API lists it.
type item struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	State    string    `json:"state"`
	Title    string    `json:"title"`
	Queue    string    `json:"queue"`
	Session  string    `json:"session"`
	Tool     string    `json:"tool,omitempty"`
	Risk     string    `json:"risk,omitempty"`
	Digest   string    `json:"digest"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
	Resolved string    `json:"resolved,omitempty"`
}

func inboxList() *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "list", Short: "List what waits", Args: cobra.NoArgs}
	out, session := jsonFlag(c), sessionFlag(c)
	c.Flags().BoolVar(&all, "all", false, "what is settled as well, newest first")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		p, err := signedIn(*session)
		if err != nil {
			return err
		}
		items, err := p.items(cmd.Context(), all)
		if err != nil {
			return err
		}
		return rows(out(), items, "Nothing waits.", "ITEM\tKIND\tQUEUE\tSTATE\tSINCE\tDIGEST\tWHAT", func(x item) []string {
			what := x.Title
			if x.Resolved != "" {
				what += " (" + x.Resolved + ")"
			}
			return []string{x.ID, x.Kind, x.Queue, x.State, when(x.Created), short(x.Digest, 13), short(what, 80)}
		})
	}
	return c
}

// most is how many settled items a list goes back.
const most = 500

func (p person) items(ctx context.Context, all bool) ([]item, error) {
	n := 0
	return pages(func(cursor string) ([]item, string, error) {
		q := url.Values{"cursor": {cursor}}
		if all {
			q.Set("state", "all")
		}
		var page struct {
			Items []item `json:"items"`
			Next  string `json:"next"`
		}
		err := p.call(ctx, "/v1/items?"+q.Encode(), nil, &page)
		if n += len(page.Items); n >= most {
			page.Next = ""
		}
		return page.Items, page.Next, err
	})
}

func inboxAnswer() *cobra.Command {
	var digest, text string
	c := &cobra.Command{Use: "answer ITEM [CHOICE]", Short: "Answer an item: allow, deny, or a question's option",
		Long: `Answers an item with a choice: allow or deny of an approval, an option's value of
a question; --text is the reason, or the answer to a question that takes text.
The answer names the digest that the list shows now; --digest, or its beginning,
makes sure it is still the one you saw (I8).

Exit codes: 0 your answer counts; 3 somebody was first, or it expired; 4 you may
not answer it; 1 there is no such item, or the answer does not fit.`,
		Args: cobra.RangeArgs(1, 2)}
	out, session := jsonFlag(c), sessionFlag(c)
	c.Flags().StringVar(&digest, "digest", "", "the digest you saw, or its beginning of at least 8 characters")
	c.Flags().StringVar(&text, "text", "", "reason, or the answer in words")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 && text == "" {
			return usage("say what to answer: a choice, or --text")
		}
		if digest != "" && len(digest) < 8 {
			return usage("--digest %s: at least 8 characters", digest)
		}
		p, err := signedIn(*session)
		if err != nil {
			return err
		}
		seen, err := p.digestOf(cmd.Context(), args[0], strings.TrimSuffix(digest, "…"))
		if err != nil {
			return err
		}
		in := map[string]string{"digest": seen, "text": text}
		if len(args) == 2 {
			in["choice"] = args[1]
		}
		var x item
		if err := p.call(cmd.Context(), "/v1/items/"+url.PathEscape(args[0])+"/answer", in, &x); err != nil {
			return answered(err)
		}
		return out().value(x, func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", x.Title, x.Resolved) })
	}
	return c
}

// digestOf finds the digest of an item as it is listed. Of an item that waits
// no more the whole digest given will do: the API says what became of it.
func (p person) digestOf(ctx context.Context, id, saw string) (string, error) {
	for _, all := range []bool{false, true} {
		items, err := p.items(ctx, all)
		if err != nil {
			return "", err
		}
		for _, x := range items {
			if x.ID != id {
				continue
			}
			if !strings.HasPrefix(x.Digest, saw) {
				return "", fmt.Errorf("item %s has another digest than you saw (%s); look again before you answer", id, short(x.Digest, 13))
			}
			return x.Digest, nil
		}
	}
	return saw, nil
}

// answered gives each way not to win its exit code (U10).
func answered(err error) error {
	var no *problem
	if !errors.As(err, &no) {
		return err
	}
	switch no.Code {
	case "already_resolved", "expired":
		return &exit{exitFinding, err}
	case "not_allowed":
		return &exit{exitRefused, err}
	}
	return err
}

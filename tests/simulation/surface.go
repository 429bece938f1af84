package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// surface is a platform that shows cards and texts: posts may fail, be refused
// for now, or happen although the reply was lost.
type surface struct {
	w      *World
	prefix string
	n      int
	cards  map[string]*shownCard // by message id
	order  []string
	said   map[string][]*posting // by key
	told   map[string]int        // by person and words
}

type shownCard struct {
	*posting
	ref     inbox.Reference
	card    inbox.Card
	deleted bool // by a person: it cannot be edited any more
	clicked bool
}

// posting is one thing that was posted. It is excused from being the only one
// of its kind if whoever posted it never got to write that down (I23).
type posting struct{ excused bool }

func newSurface(w *World, prefix string) *surface {
	return &surface{w: w, prefix: prefix, cards: map[string]*shownCard{}, said: map[string][]*posting{}, told: map[string]int{}}
}

var errLate = &delivery.SendError{Code: "network", Err: errors.New("time-out")}

func (s *surface) weather(ctx context.Context) error {
	pause(ctx)
	if s.w.fault(3) {
		return &delivery.SendError{Code: "limited", RetryAfter: time.Second}
	}
	return nil
}

// posted is a post by whoever runs.
func posted(ctx context.Context) *posting {
	x := &posting{}
	if p := running(ctx); p != nil {
		p.posts = append(p.posts, x)
	}
	return x
}

// Post implements deliver.Surface.
func (s *surface) Post(ctx context.Context, place trigger.Place, card inbox.Card, _ string) (string, error) {
	if err := s.weather(ctx); err != nil {
		return "", err
	}
	s.w.guard.posts(card, place)
	s.n++
	id := fmt.Sprintf("%s%d", s.prefix, s.n)
	c := &shownCard{posting: posted(ctx), ref: inbox.Reference{Place: place, Message: id}, card: card}
	s.cards[id] = c
	s.order = append(s.order, id)
	s.w.happened("post " + id)
	s.w.tracef("post %s: item %s version %d settled %t", id, card.Item, card.Version, card.Settled)
	pause(ctx)
	if s.w.fault(2) {
		c.excused = true
		return "", errLate
	}
	return id, nil
}

// Update implements deliver.Surface.
func (s *surface) Update(ctx context.Context, ref inbox.Reference, card inbox.Card) error {
	if err := s.weather(ctx); err != nil {
		return err
	}
	c := s.cards[ref.Message]
	if c == nil || c.deleted {
		return &delivery.SendError{Code: "message_not_found", Final: true}
	}
	c.card = card
	s.w.tracef("update %s: item %s version %d settled %t", ref.Message, card.Item, card.Version, card.Settled)
	pause(ctx)
	if s.w.fault(1) {
		return errLate
	}
	return nil
}

// Say implements deliver.Surface.
func (s *surface) Say(ctx context.Context, _ trigger.Place, _, key string) (string, error) {
	if err := s.weather(ctx); err != nil {
		return "", err
	}
	x := posted(ctx)
	s.said[key] = append(s.said[key], x)
	pause(ctx)
	if s.w.fault(1) {
		x.excused = true
		return "", errLate
	}
	return "said-" + key, nil
}

// Tell implements deliver.Surface.
func (s *surface) Tell(ctx context.Context, _ trigger.Place, who actor.Actor, text string) error {
	if err := s.weather(ctx); err != nil {
		return err
	}
	s.told[who.Ref()+"|"+text]++
	return nil
}

// find gives a message that shows an item and is still there, if any: of two
// that a crash left, either.
func (s *surface) find(item string) *shownCard {
	var all []*shownCard
	for _, id := range s.order {
		if c := s.cards[id]; c.card.Item == item && !c.deleted {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[s.w.rng.IntN(len(all))]
}

// vandal is a person who deletes a card's message.
func (s *surface) vandal() {
	if len(s.order) == 0 {
		return
	}
	s.cards[s.order[s.w.rng.IntN(len(s.order))]].deleted = true
	s.w.counts["cards_deleted"]++
}

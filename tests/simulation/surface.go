package simulation

import (
	"context"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// surface is a platform that shows cards and texts: posts may fail, be refused
// for now, or happen although the reply was lost.
type surface struct {
	w     *World
	n     int
	cards map[string]*shownCard // by message id
	order []string
	said  map[string]int // by key
}

type shownCard struct {
	ref  inbox.Reference
	card inbox.Card
}

func newSurface(w *World) *surface {
	return &surface{w: w, cards: map[string]*shownCard{}, said: map[string]int{}}
}

var errLate = &delivery.SendError{Code: "network", Err: errors.New("time-out")}

func (s *surface) weather(ctx context.Context) error {
	pause(ctx)
	if s.w.fault(3) {
		return &delivery.SendError{Code: "limited"}
	}
	return nil
}

// Post implements deliver.Surface.
func (s *surface) Post(ctx context.Context, place trigger.Place, card inbox.Card, _ string) (string, error) {
	if err := s.weather(ctx); err != nil {
		return "", err
	}
	s.n++
	id := fmt.Sprintf("m%d", s.n)
	s.cards[id] = &shownCard{ref: inbox.Reference{Place: place, Message: id}, card: card}
	s.order = append(s.order, id)
	pause(ctx)
	if s.w.fault(1) {
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
	if c == nil {
		return &delivery.SendError{Code: "message_not_found", Final: true}
	}
	c.card = card
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
	s.said[key]++
	return "said-" + key, nil
}

// Tell implements deliver.Surface.
func (s *surface) Tell(ctx context.Context, _ trigger.Place, _ actor.Actor, _ string) error {
	return s.weather(ctx)
}

// find gives a message that shows an item.
func (s *surface) find(item string) (inbox.Reference, bool) {
	for i := len(s.order) - 1; i >= 0; i-- {
		if c := s.cards[s.order[i]]; c.card.Item == item {
			return c.ref, true
		}
	}
	return inbox.Reference{}, false
}

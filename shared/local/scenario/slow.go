package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// Slow are the cousins that take minutes: a lost stream record, an item that
// nobody answers, functions killed in the middle of a call. They are begun, the
// rest is played meanwhile, and then they are seen to their ends.
type Slow struct {
	cousins
	leftOut int

	lost    slack.Message // asked for the sleep whose wake is lost
	expires time.Time
	asked   github.Issue  // whose agent's call nobody answers
	hasty   slack.Message // its card
	again   killed        // a call that may be made again
	once    killed        // one that may not
}

// killed is a turn that was killed while a call of it was being made.
type killed struct {
	message slack.Message // asked for it
	mark    string        // in what the call writes
	issue   int64
}

// BeginSlow does what happens at their beginnings.
func BeginSlow(ctx context.Context, t Target, report Report) (*Slow, error) {
	s := &Slow{cousins: cousins{demo{play: play{Target: t, ctx: ctx, began: time.Now(), report: report}}}}
	return s, s.each(
		part{"stream record lost", t.Levers.LoseRecord != nil && t.Levers.Found != nil, s.lose},
		part{"item that nobody answers", t.Levers.Hasty, s.raise},
		part{"killed in a call", s.kills(), s.killAgain},
		part{"killed in a call that does not repeat", s.kills(), s.killOnce},
	)
}

// Finish waits for their ends.
func (s *Slow) Finish() error {
	if err := s.each(
		part{"expired item", s.Levers.Hasty, s.expired},
		part{"killed call taken up", s.kills(), s.takenUp},
		part{"killed call asked about", s.kills(), s.askedAbout},
		part{"lost record found", s.Levers.LoseRecord != nil && s.Levers.Found != nil, s.found},
	); err != nil {
		return err
	}
	done := Step{Step: "done", OK: true}
	if s.leftOut > 0 {
		done.What = fmt.Sprintf("%d steps were left out", s.leftOut)
	}
	s.report(done)
	return nil
}

func (s *Slow) kills() bool { return s.Levers.Kill != nil && s.Hold != nil }

type part struct {
	name string
	can  bool
	f    func() (string, error)
}

func (s *Slow) each(parts ...part) error {
	for _, p := range parts {
		if !p.can {
			s.leftOut++
			s.report(Step{Step: p.name, LeftOut: s.Levers.Without})
			continue
		}
		if err := s.do(p.name, p.f); err != nil {
			return err
		}
	}
	return nil
}

// lose: an agent sleeps, and the ring of its wake is lost on the way.
func (s *Slow) lose() (string, error) {
	var err error
	if s.lost, err = s.write("U0ADA", "sleep 6", "", true); err != nil {
		return "", err
	}
	if _, err := s.until("a receipt", func() (string, bool) { return s.inThread(ops, s.lost.TS, isReceipt) }); err != nil {
		return "", err
	}
	return s.Levers.LoseRecord(s.ctx)
}

// raise: a question comes up that nobody answers.
func (s *Slow) raise() (string, error) {
	i, a, err := s.GitHub.Open(s.ctx, s.githubHook(), github.Draft{Author: "ada", Repo: HastyRepo, Title: "In a hurry",
		Body: fmt.Sprintf("@postern-agent comment on %s#1: too late", HastyRepo)})
	if err != nil {
		return "", err
	}
	if err := accepted(a.Status); err != nil {
		return "", err
	}
	s.asked = i
	s.hasty, err = s.cardIn(HastyChannel, "too late")
	s.expires = time.Now().Add(hastyExpiry) // it came up earlier than that
	return "a card that nobody answers, good for " + hastyExpiry.String(), err
}

// cardIn waits for a card with these words that waits for an answer.
func (s *Slow) cardIn(channel, words string) (slack.Message, error) {
	var card slack.Message
	_, err := s.until("a card in "+channel, func() (string, bool) {
		for _, m := range s.Slack.Posted(channel) {
			if len(m.Buttons()) == 3 && strings.Contains(m.Words(), words) {
				card = m
				return "", true
			}
		}
		return "", false
	})
	return card, err
}

// killAgain: the comment is made, and the turn dies before it hears of it.
func (s *Slow) killAgain() (string, error) {
	i, _, err := s.GitHub.Open(s.ctx, github.Hook{URL: s.URL + "/nowhere", Client: s.Client}, github.Draft{Author: "bob", Repo: repo, Title: "Long ago"})
	if err != nil {
		return "", err
	}
	s.again.issue, s.again.mark = i.Number, "died-while-commenting"
	return s.kill(&s.again, fmt.Sprintf("comment on %s#%d: %s", repo, i.Number, s.again.mark), "/comments")
}

// killOnce: the same with a call that its platform would repeat.
func (s *Slow) killOnce() (string, error) {
	s.once.mark = "died-while-posting"
	return s.kill(&s.once, fmt.Sprintf("post %s to #%s", s.once.mark, ops), "/chat.postMessage")
}

// kill has an agent make a call and kills what makes it: after the platform
// did it, before the answer came.
func (s *Slow) kill(k *killed, text, path string) (string, error) {
	var err error
	if k.message, err = s.write("U0ADA", text, "", true); err != nil {
		return "", err
	}
	card, err := s.cardIn(approvals, k.mark)
	if err != nil {
		return "", err
	}
	held := s.Hold.Next(path, k.mark)
	defer held.LetGo()
	if _, err := s.Slack.Press(s.ctx, s.slackHook(), "U0ADA", approvals, card.TS, 0); err != nil {
		return "", err
	}
	wait, stop := context.WithTimeout(s.ctx, s.Patience)
	defer stop()
	peer, err := held.Arrived(wait)
	if err != nil {
		return "", fmt.Errorf("the call was not made: %w", err)
	}
	did, err := s.Levers.Kill(s.ctx, peer)
	if err != nil {
		return "", err
	}
	return s.until("the allowed card without buttons", func() (string, bool) {
		for _, m := range s.Slack.Posted(approvals) {
			if m.TS == card.TS && len(m.Buttons()) == 0 {
				return "the platform did it and held its answer; " + did, true
			}
		}
		return "", false
	})
}

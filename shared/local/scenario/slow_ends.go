package scenario

import (
	"fmt"
	"strings"
	"time"
)

// expired: the click comes after the item's time, and is told so (I10).
func (s *Slow) expired() (string, error) {
	if err := s.sleep(time.Until(s.expires) + time.Second); err != nil {
		return "", err
	}
	before := len(s.Slack.Told("U0ADA"))
	if _, err := s.Slack.PressOld(s.ctx, s.slackHook(), "U0ADA", s.hasty, 0); err != nil {
		return "", err
	}
	told, err := s.until("Ada told that it expired", func() (string, bool) {
		for _, m := range s.Slack.Told("U0ADA")[before:] {
			if strings.Contains(m.Text, "expired") {
				return m.Text, true
			}
		}
		return "", false
	})
	if err != nil {
		return "", err
	}
	if _, err := s.until("the expired card without buttons", func() (string, bool) {
		for _, m := range s.Slack.Posted(HastyChannel) {
			if m.TS == s.hasty.TS && len(m.Buttons()) == 0 && strings.Contains(m.Words(), "expired") {
				return "", true
			}
		}
		return "", false
	}); err != nil {
		return "", err
	}
	said, err := s.until("a report on the issue", func() (string, bool) {
		for _, c := range s.GitHub.Posted(HastyRepo, s.asked.Number) {
			if text := withoutMarker(c.Body); isReport(text) {
				return text, true
			}
		}
		return "", false
	})
	if err != nil {
		return "", err
	}
	for _, c := range s.GitHub.Posted(HastyRepo, 1) {
		if strings.TrimSpace(withoutMarker(c.Body)) == "too late" {
			return "", fmt.Errorf("the expired call was made")
		}
	}
	return "Ada's late Allow runs nothing; she is told: " + told + "; the agent reports: " + firstLine(said), nil
}

// takenUp: the call goes on by itself and is not made twice (S7, S8).
func (s *Slow) takenUp() (string, error) {
	said, err := s.untilLate("a report of the killed turn", func() (string, bool) { return s.inThread(ops, s.again.message.TS, isReport) })
	if err != nil {
		return "", err
	}
	s.issueNo = s.again.issue
	if n := count(s.comments(), s.again.mark); n != 1 {
		return "", fmt.Errorf("the killed call made %d comments", n)
	}
	return fmt.Sprintf("the session goes on, one comment is there; the agent reports: %s", said), nil
}

// askedAbout: a call whose outcome nobody knows and that would repeat is not
// made again; a person is asked (S8).
func (s *Slow) askedAbout() (string, error) {
	var err error
	if s.panel, err = s.Browser(s.ctx); err != nil {
		return "", err
	}
	item, err := s.untilLate("a question whether it happened", func() (string, bool) { return s.panel.Find(s.ctx, "Did this happen?") })
	if err != nil {
		return "", err
	}
	form, err := s.panel.Open(s.ctx, item)
	if err != nil {
		return "", err
	}
	a, err := s.panel.Answer(s.ctx, form, "o1") // it happened
	if err != nil || a.Status != 200 {
		return "", fmt.Errorf("the panel was answered %d: %s (%w)", a.Status, a.Words, err)
	}
	said, err := s.until("a report of the killed turn", func() (string, bool) {
		return s.inThread(ops, s.once.message.TS, func(text string) bool { return isReport(text) && strings.Contains(text, "Done:") })
	})
	if err != nil {
		return "", err
	}
	posted := 0
	for _, m := range s.Slack.Posted(ops) {
		if strings.TrimSpace(m.Text) == s.once.mark {
			posted++
		}
	}
	if posted != 1 {
		return "", fmt.Errorf("the killed call posted %d messages", posted)
	}
	return "a person is asked and says that it happened; one message is there; the agent reports: " + said, nil
}

// found: the reconciler finds the lost record, drives it again, and says so
// (W8). The killed turns went on without it.
func (s *Slow) found() (string, error) {
	f, err := s.Levers.Found(s.ctx)
	if err != nil {
		return "", err
	}
	if f.Outbox == 0 {
		return "", fmt.Errorf("the reconciler found %+v: no lost record", f)
	}
	if f.Leases > 0 {
		return "", fmt.Errorf("the reconciler found %+v: a killed turn was not rung again", f)
	}
	said, err := s.until("the report of who slept", func() (string, bool) {
		return s.inThread(ops, s.lost.TS, func(text string) bool { return strings.Contains(text, "slept 6 s") })
	})
	return fmt.Sprintf("the reconciler's log: outbox %d, mail %d, leases %d; the agent is woken and reports: %s", f.Outbox, f.Mail, f.Leases, said), err
}

// untilLate looks for what a killed turn's lease and deadline hold up.
func (s *Slow) untilLate(what string, f func() (string, bool)) (string, error) {
	patient := s.play
	patient.Patience = max(patient.Patience, 3*time.Minute)
	return patient.until(what, f)
}

func (s *Slow) sleep(d time.Duration) error {
	select {
	case <-s.ctx.Done():
		return s.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

package replay

// Line is what became of one file, in the stable JSON form of U13.
type Line struct {
	File string `json:"file"`
	// Status is the HTTP status the sender would get; 0 if the file is no
	// request at all.
	Status     int         `json:"status"`
	Event      string      `json:"event"` // the platform's name; empty if it was refused before it was known
	Trigger    *Trigger    `json:"trigger"`
	Resolution *Resolution `json:"resolution"`
	Admission  *Admission  `json:"admission"`
	Error      *Error      `json:"error"`

	// Outcome is what the gate made of it, in words for people.
	Outcome string `json:"-"`
}

// Trigger is what came in (G1). Source and Scope are the row of the policy
// that judged it, empty if no Source receives the place.
type Trigger struct {
	Source string `json:"source"`
	Scope  string `json:"scope"`
	Thread string `json:"thread"`
	Sender Sender `json:"sender"`
	Named  string `json:"named"` // mention, direct, none
	Text   string `json:"text"`
	ID     string `json:"id"` // of the message, not of the delivery (G47)
}

// Sender is who sent it, by the platform's immutable id.
type Sender struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // human, bot, none
}

// Resolution is an answer to an item that a person's click or command gives.
type Resolution struct {
	Item   string `json:"item"`
	Digest string `json:"digest"`
	Choice string `json:"choice"`
	Actor  string `json:"actor"` // as policies name people: provider:workspace/id
}

// Admission is the gate's judgment (G14).
type Admission struct {
	Strength string `json:"strength"` // explicit, inferred, not_admitted
	Reason   string `json:"reason"`
	Cell     string `json:"cell"` // of the admission table, if one decided
}

// Error says why a delivery starts nothing. The codes are stable:
//
//	bad_signature, stale, unreadable, too_large   refused by the entrance
//	not_configured, wrong_method                  there is no such entrance
//	unknown_event, dropped                        accepted and left alone
//	duplicate                                     accepted, and came before
//	not_an_event, not_judged                      the replay itself failed
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Failed reports whether the replay could not be done, whatever the sender
// would have been told.
func (l Line) Failed() bool {
	return l.Error != nil && (l.Error.Code == "not_an_event" || l.Error.Code == "not_judged")
}

func (l *Line) fail(code, message string) { l.Error = &Error{Code: code, Message: message} }

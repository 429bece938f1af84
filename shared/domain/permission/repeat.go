package permission

// Past is what became of an earlier ask for the same call in the same run: the
// same tool, the same digest (P27).
type Past struct {
	Item    string
	Message int64 // number of the model's message that made the call
	State   PastState
}

// PastState is how the earlier ask stands.
type PastState string

const (
	PastPending PastState = "pending"
	PastOpen    PastState = "approved" // and its grant is not spent
	PastDenied  PastState = "denied"
	PastOver    PastState = "over"   // spent, withdrawn, expired, cancelled, superseded
	PastLifted  PastState = "lifted" // denied, and a person said to ask again, which forgives what was before it
)

// Next is what happens to a call that has to be asked.
type Next string

const (
	Raise  Next = "raise"  // a new item
	Join   Next = "join"   // the item that is there
	Refuse Next = "refuse" // a person refused it in this run
)

// Repeat decides what a call that asks does, from the earlier asks for the same
// call in the run, oldest first (P27, I3). A refusal holds for the rest of the
// run unless a person says otherwise. Identical calls of one message each get
// an item; a later one joins what is pending or approved and unspent.
func Repeat(past []Past, message int64) (Next, string) {
	for i := len(past) - 1; i >= 0 && past[i].State != PastLifted; i-- {
		if past[i].State == PastDenied {
			return Refuse, past[i].Item
		}
	}
	for _, p := range past {
		if p.Message != message && (p.State == PastPending || p.State == PastOpen) {
			return Join, p.Item
		}
	}
	return Raise, ""
}

// Refused is the decision on a call that was refused earlier in the run: a
// denial that nobody is asked about. It keeps what d says of the call.
func Refused(d Decision, item string) Decision {
	d.Outcome, d.By = Deny, By{ByRefusal, item}
	d.Reason = "a person refused this very call in this run; do something else, or ask the person why"
	return d
}

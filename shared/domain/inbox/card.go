package inbox

import "encoding/json"

// Card is the present state of one item as a place shall show it (I22, I23).
// Edges render it; they decide nothing.
type Card struct {
	Item      string
	Kind      Kind
	Code      string // short code that people can type (I25)
	Title     string
	Text      string          // what approving does, or the question
	Tool      string          // empty where there is none
	Arguments json.RawMessage // nil where others than approvers read (I22)
	Risk      string
	Session   string
	Asked     string       // display of who asked, empty if nobody
	Mentions  []string     // actor refs of those who may answer, to mention once
	Buttons   []CardButton // none on a settled card
	Open      string       // signed value of the button Open (I22), for places that have buttons; none on a settled card
	FreeText  bool         // the answer is free text: the card says where to give it
	Link      string       // the panel's page of the item; it changes nothing by itself (I21)
	Status    string       // one line: what happened, who, when; empty while pending
	Settled   bool
	Version   int64 // of the item's state that this card shows
}

// CardButton is one discrete choice.
type CardButton struct {
	Label string
	Value string // signed Button.Value
	Style string // primary, danger, or empty
}

// Code is the short code of an item that people can type: the first six
// characters of its id.
func Code(item string) string {
	if len(item) < 6 {
		return item
	}
	return item[:6]
}

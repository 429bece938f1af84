// Package model holds what is said to a language model and what it answers, in
// words of our own, so that the turn engine knows no provider (S11).
//
// The turn engine declares the interface that the provider edges fulfil:
//
//	type Model interface {
//		Complete(ctx context.Context, r model.Request) (model.Reply, error)
//	}
//
// The contract of Complete:
//   - It makes one call of the provider and never repeats it: backoff, budgets
//     and going to sleep are the turn's, which alone knows its limits (S6, S11).
//   - An error is always a *Error; its Kind says whether waiting helps.
//   - The end of ctx ends the call; the error then wraps ctx's own.
//   - Arguments that are not a JSON object make a Call with Bad set, not an
//     error, so that the model hears about it and can try again.
//   - It may be called by many goroutines and keeps nothing between calls, so a
//     restart loses nothing (O4).
//
// Pure: it must not know HTTP, a provider's SDK, a clock or a store.
package model

import "encoding/json"

// Role is who speaks in a Message.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	Result    Role = "result" // the outcome of one call
)

// Request is one call of a model.
type Request struct {
	Model     string // the provider's name of it, without "provider:"
	System    string
	Messages  []Message // valid as Check says; FromTranscript makes them so
	Tools     []Tool
	MaxTokens int64 // of the reply; 0 leaves it to the edge
}

// Tool is what a model may ask for.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// Message is one part of the conversation.
type Message struct {
	Role     Role
	Text     string
	Calls    []Call // Assistant
	CallID   string // Result: the call it answers
	ToolName string // Result
	OK       bool   // Result: the call ran and succeeded
}

// Reply is what the model said.
type Reply struct {
	Text   string
	Calls  []Call // in the order the model gave them
	Stop   Stop
	Input  int64 // tokens read
	Output int64 // tokens written
	Model  string
}

// Stop is why the model stopped.
type Stop string

const (
	Ended    Stop = "end"      // it had said what it wanted
	Called   Stop = "calls"    // it waits for the results of its calls
	Length   Stop = "length"   // MaxTokens or the context ran out: the last call may be cut
	Filtered Stop = "filtered" // the provider held text back
)

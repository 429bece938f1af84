// Package policy holds the policies that come with Postern, as text: the
// annotated example for people to start from, and the one that `postern dev`
// and the demo use. It reads nothing of them; domain/policy does.
package policy

import _ "embed"

// Dev is the policy of `postern dev` and the demo. It names made-up accounts.
//
//go:embed dev.yaml
var Dev []byte

// Example is the annotated example. It says what every key does.
//
//go:embed example.yaml
var Example []byte

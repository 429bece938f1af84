// Package scripted is a model that is none: it does what a person's message
// spells out, for tests, development and the demo, and says so in all it says
// ("scripted model", S11).
//
// It is a pure function from the conversation to the reply: no memory, no
// clock, no network, so a restart changes nothing. It is free of charge but
// counts tokens, so that budgets can be tried. It must never be the model of a
// deployment that means it.
//
// # What it understands
//
// A message holds instructions, in any case, anywhere in it:
//
//	comment on OWNER/REPO#N: TEXT     github_comment
//	post TEXT to #CHANNEL             slack_send_message; CHANNEL is its id
//	fetch URL                         web_fetch
//	ask me QUESTION                   ask_user, free text
//	ask me QUESTION [A | B]           ask_user, with options
//	sleep N, wait N                   sleep_for; N seconds, or 5m, 2h, 1 day
//	check again in N seconds          sleep_for
//	call TOOL {JSON}                  any tool, with these very arguments
//
// Several are joined by ";", a new line, "then" or "and then": they are done in
// order, one call a message. Joined by "and also" they are called in one
// message. A joint with no instruction after it is part of the text before, so
// "comment on a/b#1: first this; then that" is one comment.
//
// After a result it goes on with the next; after a sleep, once a message or a
// wake has come. What is said meanwhile queues up behind. When all is done it
// reports in one line what was done, what was denied and what failed. To a
// message that holds no instruction it answers with a summary of this grammar.
package scripted

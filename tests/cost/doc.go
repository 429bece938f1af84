// Command cost counts every AWS call that one approval round trip would make
// in the deployed system, from the model's asking call to the settled card
// that says "ran: ok", and prices them (D9). It prints the bill of an idle
// month too.
//
// It runs the embedded runtime with the platforms' stand-ins and a clock that
// stands still, and drives it by hand, one invocation after another, as Lambda
// would at low traffic: so that every invocation is known and the counts are
// the same each time. What a local run cannot know, such as how long Slack
// takes, stands in infra/prices.json as an assumption.
//
// Not counted: retries, cold starts, what leaves AWS for the platforms, and
// the model.
package main

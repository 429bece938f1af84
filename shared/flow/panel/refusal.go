package panel

import "net/http"

// refusals are the pages that say no, each with its own status and words.
var refusals = []struct {
	err         error
	status      int
	title, text string
}{
	{errNotFound, http.StatusNotFound, "Not here", "There is nothing at this address, or it is not for you to see."},
	{errDeleted, http.StatusGone, "This session was deleted", "What it asked for was cancelled, and nothing of it runs any more. Its audit is kept."},
	{errStale, http.StatusForbidden, "This form is stale", "Nothing was changed. Go back, reload the page and try again."},
	{errCrossOrigin, http.StatusForbidden, "This form came from another site", "Nothing was changed. Open the panel itself and answer there."},
	{errSignIn, http.StatusUnauthorized, "Sign in first", "Open a sign-in link: press Open on a card, or run postern login; postern dev prints one when it starts."},
	{errSpent, http.StatusForbidden, "This link is spent", "Sign-in links work once and for a short time. For a new one press Open on the card, or run postern login."},
	{errAuditOnly, http.StatusForbidden, "Your role reads the audit only", "An auditor sees neither the Inbox nor sessions. Ask an owner for another role."},
}

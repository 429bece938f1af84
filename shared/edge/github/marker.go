package github

// markerOpen begins the hidden first line of every comment that we write: by
// it a retry finds what was already posted, and we know our own comments.
const markerOpen = "<!-- postern:"

package catalog

import "time"

const issueProperty = `"issue":{"type":"string","description":"OWNER/REPO#NUMBER of an issue or pull request."}`
const repoProperty = `"repo":{"type":"string","description":"OWNER/REPO"}`

var github = Capability{
	ID: "github", Name: "GitHub", Description: "Read and act on issues, pull requests and repositories.",
	Requires: []string{"connector:github"},
	Tools: []Tool{
		{
			Name: "github_read_issue", Risk: Read, Timeout: 20 * time.Second,
			Description: "Read an issue or pull request with its comments.",
			Target:      Target{Arg: "issue", Kind: Issue},
			Schema:      object(issueProperty+`,`+accountProperty, "issue"),
		},
		{
			// Idempotent by a hidden marker made of the key: the same call again
			// finds its comment.
			Name: "github_comment", Risk: External, Hosted: true, Idempotent: true, Timeout: 20 * time.Second,
			Description: "Comment on an issue or pull request.",
			Target:      Target{Arg: "issue", Kind: Issue, Covers: []string{"body"}},
			Schema: object(issueProperty+`,"body":{"type":"string","description":"Markdown."},`+accountProperty,
				"issue", "body"),
		},
		{
			Name: "github_create_issue", Risk: External, Timeout: 20 * time.Second,
			Description: "Open an issue.",
			Target:      Target{Arg: "repo", Kind: Repo, Covers: []string{"title", "body", "labels"}},
			Schema: object(repoProperty+`,"title":{"type":"string"},"body":{"type":"string"},
"labels":{"type":"array","items":{"type":"string"}},"assignees":{"type":"array","items":{"type":"string"}},`+
				accountProperty, "repo", "title"),
		},
		{
			Name: "github_merge_pr", Risk: External, Timeout: 30 * time.Second,
			Description: "Merge a pull request.",
			Target:      Target{Arg: "issue", Kind: Issue, Covers: []string{"head"}},
			Schema: object(issueProperty+`,"head":{"type":"string","description":"The commit that was reviewed; the merge fails if the head moved."},
"method":{"type":"string","enum":["merge","squash","rebase"]},`+accountProperty, "issue", "head"),
		},
		{
			Name: "github_force_push", Risk: External, Irreversible: true, Timeout: 30 * time.Second,
			Description: "Move a branch to a commit that does not follow from it.",
			Target:      Target{Arg: "repo", Kind: Repo},
			Schema: object(repoProperty+`,"branch":{"type":"string"},"commit":{"type":"string"},`+accountProperty,
				"repo", "branch", "commit"),
		},
		{
			Name: "github_delete_repo", Risk: External, Irreversible: true, Timeout: 30 * time.Second,
			Description: "Delete a repository for good.",
			Target:      Target{Arg: "repo", Kind: Repo},
			Schema:      object(repoProperty+`,`+accountProperty, "repo"),
		},
	},
}

package github

import edge "github.com/postern-dev/postern/shared/edge/github"

// DevSecrets are the secrets of local use. They open nothing anywhere else.
func DevSecrets() edge.Secrets {
	return edge.Secrets{WebhookSecret: "dev-github-webhook-secret", Slug: "postern-agent", Token: "dev-github-token"}
}

// DevConfig is the small world of local use that goes with DevSecrets.
func DevConfig() Config {
	return Config{
		Repos:         []Repo{{ID: 1001, Name: "acme/shop", Branch: "main", Hook: 1}},
		People:        map[string]int64{"ada": 11, "bob": 12, "mallory": 13},
		Slug:          DevSecrets().Slug,
		App:           77,
		Installation:  7700,
		Bot:           770,
		WebhookSecret: DevSecrets().WebhookSecret,
		Token:         DevSecrets().Token,
	}
}

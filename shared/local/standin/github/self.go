package github

import (
	"fmt"
	"net/http"

	edge "github.com/postern-dev/postern/shared/edge/github"
)

// getSelf is whose the token is: the machine user of the slug's name.
func (s *Server) getSelf(request) result {
	return result{http.StatusOK, object{"login": s.cfg.Slug, "id": s.cfg.Bot, "type": "User"}, ""}
}

func (s *Server) getRepo(req request) result {
	return result{http.StatusOK, repoObject(req.repo), ""}
}

// getApp is the App as its owner made it from the manifest.
func (s *Server) getApp(request) result {
	return result{http.StatusOK, object{"id": s.cfg.App, "slug": s.cfg.Slug, "permissions": edge.Permissions, "events": edge.Events}, ""}
}

func (s *Server) getHook(request) result {
	return result{http.StatusOK, object{"url": s.cfg.WebhookURL, "content_type": "json", "insecure_ssl": "0", "secret": "********"}, ""}
}

func (s *Server) getInstallation(req request) result {
	if req.id != s.cfg.Installation {
		return notFound
	}
	return result{http.StatusOK, object{"id": req.id, "app_id": s.cfg.App, "app_slug": s.cfg.Slug, "permissions": edge.Permissions,
		"events": edge.Events, "suspended_at": nil, "html_url": fmt.Sprintf("https://github.com/settings/installations/%d", req.id)}, ""}
}

package github

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// allowed checks the token of a call, or the App's own proof.
func (s *Server) allowed(header string, app bool) bool {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "token") || token == "" {
		return false
	}
	if app {
		return s.isApp(token)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	end, lent := s.lent[token]
	return token == s.cfg.Token || lent && s.now().Before(end)
}

// isApp checks a JWT: RS256 by the App's key, in time, for at most ten minutes.
func (s *Server) isApp(token string) bool {
	part := strings.Split(token, ".")
	if len(part) != 3 || s.cfg.Key == nil {
		return false
	}
	var head struct{ Alg string }
	var claims struct {
		Iat, Exp int64
		Iss      string
	}
	sig, err := base64.RawURLEncoding.DecodeString(part[2])
	if err != nil || !decode(part[0], &head) || !decode(part[1], &claims) || head.Alg != "RS256" {
		return false
	}
	digest := sha256.Sum256([]byte(part[0] + "." + part[1]))
	if rsa.VerifyPKCS1v15(s.cfg.Key, crypto.SHA256, digest[:], sig) != nil {
		return false
	}
	now := s.now().Unix()
	return claims.Iss == strconv.FormatInt(s.cfg.App, 10) && claims.Iat <= now && now < claims.Exp && claims.Exp <= now+600
}

func decode(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// lend gives an installation token for an hour.
func (s *Server) lend(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.id != s.cfg.Installation {
		return notFound
	}
	token := fmt.Sprintf("ghs_standin%d", s.id())
	end := s.now().Add(time.Hour)
	s.lent[token] = end
	return result{http.StatusCreated, object{"token": token, "expires_at": end.UTC().Format(time.RFC3339)}, ""}
}

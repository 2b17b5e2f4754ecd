// SPDX-License-Identifier: Apache-2.0

package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// NewToken returns a random secret of 256 bits.
func NewToken() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// leastSecret is the length of the shortest secret that a person may choose, in bytes.
const leastSecret = 16

// Secret returns the sign-in by a secret that a person chose. It has at least 16 bytes, without spaces and control characters.
func Secret(text string) (Token, error) {
	switch {
	case len(text) < leastSecret:
		return "", fmt.Errorf("a secret of %d bytes can be guessed: it needs at least %d", len(text), leastSecret)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", errors.New("a secret has no spaces and no control characters")
	}
	return Token(text), nil
}

// Open lets everyone in, who can reach the server: for the loopback interface only.
type Open struct{}

// Reader implements [Auth].
func (Open) Reader(*http.Request) (Reader, error) { return Reader{}, nil }

// Token lets in who knows a secret: in the header Authorization, or with the cookie that the address with the secret has set. The secret is
// not in the cookie.
type Token string

// Reader implements [Auth].
func (t Token) Reader(r *http.Request) (Reader, error) {
	if bearer := bearerOf(r); bearer != "" {
		if same(bearer, string(t)) {
			return Reader{}, nil
		}
		return Reader{}, fmt.Errorf("the token is not the one of this server: %w", ErrUnauthorized)
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil && same(cookie.Value, t.session()) {
		return Reader{}, nil
	}
	return Reader{}, fmt.Errorf("open the address that the command printed: %w", ErrUnauthorized)
}

// session is the value of the cookie: whoever reads it does not know the secret.
func (t Token) session() string {
	h := hmac.New(sha256.New, []byte(t))
	_, _ = h.Write([]byte("tristate session"))
	return hex.EncodeToString(h.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func bearerOf(r *http.Request) string {
	value, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return ""
	}
	return strings.TrimSpace(value)
}

// cookieName is of the port, for cookies are of a host: two servers of one machine must not sign each other out.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "tristate"
	}
	return "tristate-" + port
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"), MaxAge: age}) // a proxy may end TLS
}

// enter takes the secret of an address, sets the cookie and goes to the same address without it.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	given := query.Get("token")
	if token, ok := s.Auth.(Token); ok {
		if !same(given, string(token)) {
			fail(w, fmt.Errorf("the token is not the one of this server: %w", ErrUnauthorized))
			return
		}
		s.setCookie(w, r, token.session(), 0)
	}
	query.Del("token")
	target := *r.URL
	target.Scheme, target.Host, target.RawQuery = "", "", query.Encode()
	target.Path = "/" + strings.TrimLeft(target.Path, "/") // of this server
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
}

// session signs in by the header Authorization and sets the cookie, or ends the session with ?end=true.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("end") == "true" {
		if review, ok := s.Auth.(*Review); ok {
			review.end(r)
		}
		s.setCookie(w, r, "", -1)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if bearerOf(r) == "" {
		fail(w, fmt.Errorf("the header Authorization has no token: %w", ErrUnauthorized))
		return
	}
	if _, err := s.Auth.Reader(r); err != nil {
		fail(w, err)
		return
	}
	switch auth := s.Auth.(type) {
	case Token:
		s.setCookie(w, r, auth.session(), 0)
	case *Review:
		s.setCookie(w, r, auth.begin(bearerOf(r)), int(sessionAge.Seconds()))
	}
	w.WriteHeader(http.StatusNoContent)
}

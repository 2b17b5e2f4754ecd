// SPDX-License-Identifier: Apache-2.0

package jwks

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// TestDiscover: an issuer may answer anything; private parts of keys never come out.
func TestDiscover(t *testing.T) {
	private, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: ed25519.NewKeyFromSeed(make([]byte, 32)), KeyID: "one"}}})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		discovery string // %s is the issuer
		keys      string
		want      string // part of the error; empty: none
	}{
		"keys":            {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, string(private), ""},
		"no keys yet":     {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, `{"keys":[]}`, ""},
		"another issuer":  {`{"issuer":"https://else.example.com","jwks_uri":"%[1]s/keys"}`, `{"keys":[]}`, "names another issuer"},
		"no JSON":         {`<html>`, "", "not JSON"},
		"plain http":      {`{"issuer":"%[1]s","jwks_uri":"http://example.com/keys"}`, "", "not an https URL"},
		"no jwks_uri":     {`{"issuer":"%[1]s"}`, "", "not an https URL"},
		"keys is no list": {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, `{"keys":{}}`, "no array of keys"},
		"no keys at all":  {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, `{}`, "no array of keys"},
		"malformed key": {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"!"}]}`,
			"key 0 is malformed"},
		"too long":   {`{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, strings.Repeat(" ", MaxBody+1), "longer than"},
		"redirected": {`{"issuer":"%[1]s","jwks_uri":"%[1]s/away"}`, "", "the connection fails"},
		"not found":  {`{"issuer":"%[1]s","jwks_uri":"%[1]s/nothing"}`, "", "http status 404"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(nil)
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/.well-known/openid-configuration":
					if strings.Contains(test.discovery, "%") {
						fmt.Fprintf(w, test.discovery, s.URL)
						return
					}
					io.WriteString(w, test.discovery)
				case "/keys":
					io.WriteString(w, test.keys)
				case "/away":
					http.Redirect(w, r, "http://example.com/keys", http.StatusFound)
				default:
					http.NotFound(w, r)
				}
			})
			s.StartTLS()
			defer s.Close()
			document, keys, err := Discover(context.Background(), s.Client(), s.URL)
			if test.want == "" {
				if err != nil || !json.Valid(keys) || strings.Contains(string(keys), `"d"`) || !strings.Contains(string(document), "jwks_uri") {
					t.Errorf("%s, %v", keys, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("error %v, want one with %q and without an address", err, test.want)
			}
		})
	}
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer s.Close()
	if _, _, err := Discover(context.Background(), http.DefaultClient, s.URL); err == nil || !strings.Contains(err.Error(), "tls:") {
		t.Errorf("a certificate that nobody trusts: %v", err)
	}
}

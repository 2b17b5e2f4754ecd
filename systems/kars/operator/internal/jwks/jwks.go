// SPDX-License-Identifier: Apache-2.0

package jwks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/tristate/tristate/operator/outbound"
)

// Limits of a fetch.
const (
	Timeout = 10 * time.Second
	MaxBody = 256 << 10
)

// metadata is the part of an issuer's metadata that is read.
type metadata struct {
	Issuer  string `json:"issuer"`
	JwksURI string `json:"jwks_uri"`
}

// Empty is a set without keys.
var Empty = []byte(`{"keys":[]}`)

// Discover returns the metadata of an issuer, as compact JSON of everything that it publishes, and its key set. Texts of errors are stable
// as long as the cause is.
func Discover(ctx context.Context, client *http.Client, issuer string) (document, keys []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	var meta metadata
	body, err := get(ctx, client, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return nil, nil, fmt.Errorf("discovery: %w", err)
	}
	if err := json.Unmarshal(body, &meta); err != nil {
		return nil, nil, errors.New("discovery: bad format: it is not JSON")
	}
	if strings.TrimSuffix(meta.Issuer, "/") != strings.TrimSuffix(issuer, "/") {
		return nil, nil, errors.New("discovery: bad format: it names another issuer")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil { // it was read
		return nil, nil, errors.New("discovery: bad format: it is not JSON")
	}
	if body, err = get(ctx, client, meta.JwksURI); err != nil {
		return nil, nil, fmt.Errorf("jwks: %w", err)
	}
	keys, err = public(body)
	if err != nil {
		return nil, nil, fmt.Errorf("jwks: bad format: %w", err)
	}
	return compact.Bytes(), keys, nil
}

// public reads a key set and returns its public keys.
func public(body []byte) ([]byte, error) {
	var shape struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &shape); err != nil || shape.Keys == nil {
		return nil, errors.New("it has no array of keys")
	}
	var out jose.JSONWebKeySet
	for i, raw := range *shape.Keys {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(raw); err != nil || !key.Valid() {
			return nil, fmt.Errorf("key %d is malformed", i)
		}
		if key = key.Public(); key.Valid() {
			out.Keys = append(out.Keys, key)
		}
	}
	if out.Keys == nil {
		return Empty, nil
	}
	return json.Marshal(out)
}

func get(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" || at.Host == "" || at.User != nil {
		return nil, errors.New("the address is not an https URL")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address is malformed")
	}
	bound := *client
	bound.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != "https" || len(via) > 5 {
			return errors.New("redirected away from https")
		}
		return nil
	}
	response, err := bound.Do(request)
	if err != nil {
		return nil, errors.New(class(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("http status %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err != nil {
		return nil, errors.New(class(err))
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("longer than %d bytes", MaxBody)
	}
	return body, nil
}

func class(err error) string {
	var dns *net.DNSError
	var network net.Error
	var refused *outbound.RefusedError
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, &dns):
		return "dns: the name is not known"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return "tls: the certificate is not trusted"
	}
	return "the connection fails"
}

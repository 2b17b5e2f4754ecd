// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"sync"
	"time"

	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/artifact"
	"github.com/tristate/tristate/operators/kars/internal/jwks"
	"github.com/tristate/tristate/operators/kars/internal/kit"
)

// gatherer finds the facts of servers. Key sets that were fetched are kept for [kit.Refresh].
type gatherer struct {
	env *kit.Env

	mu   sync.Mutex
	sets map[string]fetched // by issuer
}

type fetched struct {
	keys  []byte
	until time.Time
}

// Check returns the problems of a spec.
func Check(spec api.McpServerSpec) (problems []string) {
	add := func(text string) { problems = append(problems, text) }
	at, err := url.Parse(spec.URL)
	switch {
	case spec.BundleRef != nil && (spec.URL != "" || spec.OAuth != nil || len(spec.Scopes) > 0 || len(spec.AllowedTools) > 0):
		add("bundleRef excludes the content fields")
	case spec.BundleRef != nil:
		return nil
	case err != nil || at.Host == "":
		add("url is not a URL")
	case spec.ProductionMode && at.Scheme != "https":
		add("url is not https, which productionMode demands")
	}
	if spec.ProductionMode && (spec.OAuth == nil || spec.OAuth.Issuer == "") {
		add("oauth.issuer is missing, which productionMode demands")
	}
	if spec.OAuth != nil && spec.OAuth.PKCE != "" && spec.OAuth.PKCE != "S256" {
		add("oauth.pkce is not S256")
	}
	return problems
}

func (g *gatherer) gather(ctx context.Context, o *api.McpServer, now time.Time) (Facts, error) {
	f := Facts{Problems: Check(o.Spec)}
	spec := o.Spec
	if len(f.Problems) == 0 && spec.BundleRef != nil {
		content, failure := g.env.Bundle(ctx, *spec.BundleRef, artifact.McpServer)
		if failure != nil {
			f.WriteError = fmt.Errorf("bundle: %w", failure)
			return f, nil
		}
		bundled := api.McpServerSpec{}
		if err := json.Unmarshal(content, &bundled); err != nil {
			f.Problems = []string{"the bundle is not JSON"}
			return f, nil
		}
		bundled.ProductionMode, bundled.AllowedSandboxes, bundled.BundleRef = spec.ProductionMode, spec.AllowedSandboxes, nil
		f.BundleDigest, f.Problems = spec.BundleRef.Digest, Check(bundled)
		spec = bundled
	}
	if len(f.Problems) > 0 {
		return f, nil
	}
	keys := jwks.Empty
	if spec.ProductionMode {
		if keys, f.JwksError = g.keys(ctx, spec.OAuth.Issuer, now); f.JwksError != nil {
			return f, nil
		}
	}
	meta, err := json.Marshal(struct {
		URL          string        `json:"url"`
		OAuth        *api.McpOAuth `json:"oauth,omitempty"`
		Scopes       []string      `json:"scopes,omitempty"`
		AllowedTools []string      `json:"allowedTools,omitempty"`
	}{spec.URL, spec.OAuth, spec.Scopes, spec.AllowedTools})
	f.Jwks, f.Meta = string(keys), string(meta)
	return f, err
}

// keys returns the key set of an issuer: the kept one while it is fresh.
func (g *gatherer) keys(ctx context.Context, issuer string, now time.Time) ([]byte, error) {
	g.mu.Lock()
	kept, ok := g.sets[issuer]
	g.mu.Unlock()
	if ok && now.Before(kept.until) {
		return kept.keys, nil
	}
	_, keys, err := jwks.Discover(ctx, g.env.Web, issuer)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		delete(g.sets, issuer)
		return nil, err
	}
	if g.sets == nil || len(g.sets) > 1024 {
		g.sets = map[string]fetched{}
	}
	g.sets[issuer] = fetched{keys, now.Add(kit.Refresh)}
	return keys, nil
}

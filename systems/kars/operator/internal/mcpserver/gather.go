// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"sync"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/jwks"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gatherer finds the facts of servers. Key sets that were fetched are kept for [kit.Refresh].
type gatherer struct {
	env *kit.Env

	mu   sync.Mutex
	sets map[string]fetched // by issuer
}

// fetched is the content of an issuer.
type fetched struct {
	document, keys []byte
	until          time.Time
}

// Check returns the problems of a spec.
func Check(spec api.McpServerSpec) (problems []string) {
	add := func(text string) { problems = append(problems, text) }
	at, err := url.Parse(spec.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		add("url is not an http or https URL")
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
	if len(f.Problems) > 0 {
		return f, nil
	}
	found := fetched{document: []byte("{}"), keys: jwks.Empty}
	if f.Production = spec.ProductionMode; spec.OAuth != nil && spec.OAuth.Issuer != "" {
		var err error
		if found, err = g.issuer(ctx, spec.OAuth.Issuer, now); err != nil {
			f.JwksError = err
			return f, nil
		}
	}
	meta, err := json.Marshal(struct {
		URL    string        `json:"url"`
		OAuth  *api.McpOAuth `json:"oauth,omitempty"`
		Scopes []string      `json:"scopes,omitempty"`
	}{spec.URL, spec.OAuth, spec.Scopes})
	if err != nil {
		return f, err
	}
	f.Content = map[string]string{KeysFile: string(found.keys), IssuerFile: string(found.document), MetaFile: string(meta)}
	f.Unmirrored, err = unmirrored(ctx, g.env, o, version(f.Content))
	return f, err
}

// The files of a server in the directory mcp/<name>/ of a sandbox.
const (
	KeysFile   = "jwks.json"           // key set of the issuer
	IssuerFile = "oauth-metadata.json" // metadata of the issuer, as it publishes it
	MetaFile   = "meta.json"           // where the server is, and how callers are authorized
)

// version returns the digest of what is mirrored.
func version(content map[string]string) string {
	return digest.Version([]byte(content[KeysFile] + "\n" + content[IssuerFile] + "\n" + content[MetaFile]))
}

// Allows reports whether a sandbox may have the content of a server: allowedSandboxes selects its labels, or is not given.
func Allows(server *api.McpServer, sandbox *api.KarsSandbox) bool {
	allowed := server.Spec.AllowedSandboxes
	return allowed == nil || kit.Selects(allowed.MatchLabels, sandbox)
}

// unmirrored returns the sandboxes that refer to a server, may have its content, have a workload, and do not have the content where the
// workload mounts it.
func unmirrored(ctx context.Context, e *kit.Env, o *api.McpServer, want string) (out []string, err error) {
	referrers, err := e.Referrers(ctx, o.Namespace, o.Name, kit.ByMcpServer)
	if err != nil {
		return nil, err
	}
	for _, key := range referrers {
		sandbox, workload, mirrored := &api.KarsSandbox{}, &appsv1.Deployment{}, &corev1.ConfigMap{}
		if err := e.Children.Client.Get(ctx, key, sandbox); err != nil {
			if client.IgnoreNotFound(err) != nil {
				return nil, err
			}
			continue
		}
		at := sandbox.Status.Namespace
		if at == "" || !Allows(o, sandbox) {
			continue
		}
		if exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: at, Name: sandbox.Name}, workload); err != nil || !exists {
			if err != nil {
				return nil, err
			}
			continue
		}
		exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: at, Name: MetadataName(o.Name)}, mirrored)
		if err != nil {
			return nil, err
		}
		if !exists || mirrored.Labels[kit.LabelSandboxOwner] != o.Namespace || version(mirrored.Data) != want || !mounted(workload, o.Name) {
			out = append(out, sandbox.Name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// mounted reports whether a workload mounts the directory of a server.
func mounted(workload *appsv1.Deployment, server string) bool {
	return slices.ContainsFunc(workload.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
		return v.ConfigMap != nil && v.ConfigMap.Name == MetadataName(server)
	})
}

// issuer returns the content of an issuer: the kept one while it is fresh.
func (g *gatherer) issuer(ctx context.Context, issuer string, now time.Time) (fetched, error) {
	g.mu.Lock()
	kept, ok := g.sets[issuer]
	g.mu.Unlock()
	if ok && now.Before(kept.until) {
		return kept, nil
	}
	document, keys, err := jwks.Discover(ctx, g.env.Web, issuer)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		delete(g.sets, issuer)
		return fetched{}, err
	}
	if g.sets == nil || len(g.sets) > 1024 {
		g.sets = map[string]fetched{}
	}
	found := fetched{document, keys, now.Add(kit.Refresh)}
	g.sets[issuer] = found
	return found, nil
}

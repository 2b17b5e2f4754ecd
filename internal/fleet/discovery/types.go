// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// timeout is how long a request may take where the configuration sets no limit; that of client-go.
const timeout = 32 * time.Second

// Types knows the types that an API server serves. It asks at first use, and once more after [Types.Reset]; an answer without groups is not
// kept. It may be used by many goroutines.
type Types struct {
	client rest.Interface
	warn   func(string)

	mu     sync.Mutex
	groups []Group
	mapper meta.RESTMapper
}

// New returns the types of an API server; no request is sent yet. warn is called when a short name has several meanings; nil drops that.
func New(config *rest.Config, warn func(string)) (*Types, error) {
	config = dynamic.ConfigFor(config)
	config.Timeout = cmp.Or(config.Timeout, timeout)
	config.Burst = cmp.Or(config.Burst, 300) // a server without aggregated discovery is asked for the list of each version
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	return &Types{client: client, warn: warn}, nil
}

// Ask asks the server for its groups, whatever is known already.
func (t *Types) Ask() ([]Group, error) { return ask(context.Background(), t.client) }

// Groups returns the groups that the server serves. A version that could not be read has an error of its own: see [Failed].
func (t *Types) Groups() ([]Group, error) {
	groups, _, err := t.known()
	return groups, err
}

// Reset makes the next use ask the server again.
func (t *Types) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups, t.mapper = nil, nil
}

func (t *Types) known() ([]Group, meta.RESTMapper, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mapper == nil {
		groups, err := t.Ask()
		if err != nil {
			return nil, nil, err
		}
		t.groups, t.mapper = groups, newMapper(groups)
	}
	return t.groups, t.mapper, nil
}

// ResourceFor returns the resource that a word means. Group and version may be empty, and the group may be the beginning of one.
func (t *Types) ResourceFor(word schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	groups, mapper, err := t.known()
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	return mapper.ResourceFor(t.expand(groups, word))
}

// KindFor returns the kind of a resource, which may be partial as in [Types.ResourceFor].
func (t *Types) KindFor(word schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	groups, mapper, err := t.known()
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return mapper.KindFor(t.expand(groups, word))
}

// RESTMapping returns the resource of a kind in the first of the versions that is served; without versions in the one that the server
// prefers.
func (t *Types) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	_, mapper, err := t.known()
	if err != nil {
		return nil, err
	}
	return mapper.RESTMapping(gk, versions...)
}

// expand returns the resource that a short name means, and any other word as it is. The first group of the server's order wins; where no
// group has the name of the word's, the first that begins with it.
func (t *Types) expand(groups []Group, word schema.GroupVersionResource) schema.GroupVersionResource {
	var exact, prefixed []schema.GroupResource
	for _, g := range groups {
		ours := word.Group == "" || word.Group == g.Name
		for _, v := range g.Versions {
			for _, r := range v.Resources {
				if ours && (r.Name == word.Resource || r.Singular == word.Resource) {
					return word
				}
				for _, short := range r.ShortNames {
					found := schema.GroupResource{Group: g.Name, Resource: r.Name}
					switch {
					case short != word.Resource:
					case ours:
						exact = append(exact, found)
					case strings.HasPrefix(g.Name, word.Group):
						prefixed = append(prefixed, found)
					}
				}
			}
		}
	}
	switch {
	case len(exact) == 0 && len(prefixed) == 0:
		return word
	case len(exact) == 0:
		return prefixed[0].WithVersion(word.Version)
	}
	warned := map[schema.GroupResource]bool{exact[0]: true}
	for _, other := range exact {
		if !warned[other] && t.warn != nil {
			t.warn(fmt.Sprintf("short name %q could also match lower priority resource %s", word.Resource, other))
		}
		warned[other] = true
	}
	return exact[0].WithVersion("") // as kubectl does: a short name means the preferred version
}

// newMapper returns a mapper that prefers the core group, then groups in the server's order, and in each the version that the server
// prefers.
func newMapper(groups []Group) meta.RESTMapper {
	var mappers meta.MultiRESTMapper
	order := []schema.GroupVersion{{Version: "v1"}}
	for _, g := range groups {
		order = append(order, schema.GroupVersion{Group: g.Name, Version: g.Preferred})
		for _, v := range g.Versions {
			gv := schema.GroupVersion{Group: g.Name, Version: v.Name}
			if v.Name != g.Preferred {
				order = append(order, gv)
			}
			mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{gv})
			for _, r := range v.Resources {
				scope := meta.RESTScope(meta.RESTScopeRoot)
				if r.Namespaced {
					scope = meta.RESTScopeNamespace
				}
				_, singular := meta.UnsafeGuessKindToResource(gv.WithKind(r.Kind)) // servers of old do not name it
				singular.Resource = cmp.Or(r.Singular, singular.Resource)
				for _, kind := range []string{strings.ToLower(r.Kind), r.Kind} {
					mapper.AddSpecific(gv.WithKind(kind), gv.WithResource(r.Name), singular, scope)
				}
			}
			mappers = append(mappers, mapper)
		}
	}
	for _, g := range groups {
		order = append(order, schema.GroupVersion{Group: g.Name, Version: meta.AnyVersion})
	}
	out := meta.PriorityRESTMapper{Delegate: mappers}
	for _, gv := range order {
		out.ResourcePriority = append(out.ResourcePriority, gv.WithResource(meta.AnyResource))
		out.KindPriority = append(out.KindPriority, gv.WithKind(meta.AnyKind))
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"slices"
	"sync"

	"github.com/tristate/tristate/apply"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

// served is how the API server serves a kind.
type served struct {
	resource   schema.GroupVersionResource
	namespaced bool
	listMap    func(path []string) bool
}

// kinds knows how kinds are served: from definitions, which are watched, and from discovery for the rest.
type kinds struct {
	mapper *restmapper.DeferredDiscoveryRESTMapper

	mu   sync.Mutex
	crds map[schema.GroupKind]map[string]any
}

func newKinds(client discovery.DiscoveryInterface) *kinds {
	return &kinds{mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client)),
		crds: map[schema.GroupKind]map[string]any{}}
}

// define remembers a definition.
func (k *kinds) define(gk schema.GroupKind, content map[string]any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.crds[gk] = content
}

// forget drops the definition of that name.
func (k *kinds) forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for gk, crd := range k.crds {
		if metadata, _ := crd["metadata"].(map[string]any); metadata["name"] == name {
			delete(k.crds, gk)
		}
	}
}

// resolve tells how a kind is served; false where it is not. The first of the wanted versions that is served is taken, else the
// server's choice.
func (k *kinds) resolve(gk schema.GroupKind, wanted []string) (served, bool) {
	k.mu.Lock()
	crd := k.crds[gk]
	k.mu.Unlock()
	if crd != nil {
		return fromDefinition(gk, crd, wanted)
	}
	mapping, err := k.mapper.RESTMapping(gk, wanted...)
	if err != nil {
		mapping, err = k.mapper.RESTMapping(gk)
	}
	if err != nil {
		return served{}, false
	}
	return served{resource: mapping.Resource, namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace,
		listMap: func([]string) bool { return false }}, true
}

// fromDefinition reads an established CustomResourceDefinition.
func fromDefinition(gk schema.GroupKind, crd map[string]any, wanted []string) (served, bool) {
	if !established(crd) {
		return served{}, false
	}
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	plural, _ := names["plural"].(string)
	versions, _ := spec["versions"].([]any)
	var offered []string
	chosen := ""
	for _, v := range versions {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		if on, _ := m["served"].(bool); !on {
			continue
		}
		offered = append(offered, name)
		if storage, _ := m["storage"].(bool); storage || chosen == "" {
			chosen = name
		}
	}
	for _, version := range wanted {
		if slices.Contains(offered, version) {
			chosen = version
			break
		}
	}
	if chosen == "" || plural == "" {
		return served{}, false
	}
	return served{
		resource:   schema.GroupVersionResource{Group: gk.Group, Version: chosen, Resource: plural},
		namespaced: spec["scope"] == "Namespaced",
		listMap:    func(path []string) bool { return apply.ListIsMap(crd, chosen, path) },
	}, true
}

func established(crd map[string]any) bool {
	metadata, _ := crd["metadata"].(map[string]any)
	if metadata["deletionTimestamp"] != nil {
		return false
	}
	status, _ := crd["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	for _, c := range list {
		if m, _ := c.(map[string]any); m["type"] == "Established" {
			return m["status"] == "True"
		}
	}
	return false
}

// definedKind is the kind that a definition defines.
func definedKind(crd map[string]any) schema.GroupKind {
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	group, _ := spec["group"].(string)
	kind, _ := names["kind"].(string)
	return schema.GroupKind{Group: group, Kind: kind}
}

// refresh forgets what discovery said.
func (k *kinds) refresh(context.Context) { k.mapper.Reset() }

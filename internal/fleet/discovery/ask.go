// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"mime"
	"slices"
	"strings"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Group is an API group of a server.
type Group struct {
	Name      string // empty for the core group
	Preferred string // the version that the server prefers
	Versions  []Version
}

// preference returns the versions, the one that the server prefers first.
func (g Group) preference() []Version {
	out := slices.Clone(g.Versions)
	slices.SortStableFunc(out, func(a, b Version) int {
		switch g.Preferred {
		case b.Name:
			return 1
		case a.Name:
			return -1
		}
		return 0
	})
	return out
}

// Version is one version of a group.
type Version struct {
	Name      string
	Resources []Resource
	Err       error // why the resources could not be read; the other versions can
}

// Resource is a type; subresources are none of their own.
type Resource struct {
	Name, Singular, Kind string
	ShortNames, Verbs    []string
	Namespaced           bool
	Status               bool // it has a status subresource
}

// Listable returns the types whose objects can be listed, in every version, the one that the server prefers first.
func Listable(groups ...Group) iter.Seq2[schema.GroupVersion, Resource] {
	return func(yield func(schema.GroupVersion, Resource) bool) {
		for _, g := range groups {
			for _, v := range g.preference() {
				for _, r := range v.Resources {
					if slices.Contains(r.Verbs, "list") && !yield(schema.GroupVersion{Group: g.Name, Version: v.Name}, r) {
						return
					}
				}
			}
		}
	}
}

// Failed returns the versions of groups that could not be read, by group and version as in apps/v1, with the error of each.
func Failed(groups ...Group) map[string]error {
	failed := map[string]error{}
	for _, g := range groups {
		for _, v := range g.Versions {
			if v.Err != nil {
				failed[groupVersion(g.Name, v.Name)] = v.Err
			}
		}
	}
	return failed
}

// errStale is the error of a version whose server does not answer the API server that aggregates it.
var errStale = errors.New("its server does not answer")

// accept asks for aggregated discovery. The two versions of it have the same fields.
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// ask returns the groups that a server serves, the core group first. An error means that the groups are not known.
func ask(ctx context.Context, client rest.Interface) ([]Group, error) {
	core, err := groupsAt(ctx, client, "/api")
	if err != nil && !apierrors.IsNotFound(err) { // an API server that is made for aggregation has no core group
		return nil, err
	}
	others, err := groupsAt(ctx, client, "/apis")
	if err != nil {
		return nil, err
	}
	return append(core, others...), nil
}

func groupsAt(ctx context.Context, client rest.Interface, path string) ([]Group, error) {
	var contentType string
	body, err := client.Get().AbsPath(path).SetHeader("Accept", accept).Do(ctx).ContentType(&contentType).Raw()
	if err != nil {
		return nil, err
	}
	if _, parameters, err := mime.ParseMediaType(contentType); err == nil && parameters["as"] == "APIGroupDiscoveryList" {
		var list apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return aggregated(list), nil
	}
	var list struct {
		metav1.APIGroupList
		Versions []string `json:"versions"` // of the core group, at /api
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list.Versions) > 0 {
		core := metav1.APIGroup{PreferredVersion: metav1.GroupVersionForDiscovery{Version: list.Versions[0]}}
		for _, v := range list.Versions {
			core.Versions = append(core.Versions, metav1.GroupVersionForDiscovery{Version: v})
		}
		list.Groups = []metav1.APIGroup{core}
	}
	return eachVersion(ctx, client, path, list.Groups), nil
}

// aggregated reads the aggregated form.
func aggregated(list apidiscovery.APIGroupDiscoveryList) []Group {
	groups := make([]Group, 0, len(list.Items))
	for _, item := range list.Items {
		g := Group{Name: item.Name}
		for _, v := range item.Versions {
			version := Version{Name: v.Version}
			if v.Freshness == apidiscovery.DiscoveryFreshnessStale {
				version.Err = errStale
			} else if g.Preferred == "" {
				g.Preferred = v.Version
			}
			for _, r := range v.Resources {
				if version.Err != nil || r.ResponseKind == nil || r.ResponseKind.Kind == "" {
					continue // there are subresources without a resource
				}
				version.Resources = append(version.Resources, Resource{Name: r.Resource, Singular: r.SingularResource, Kind: r.ResponseKind.Kind,
					ShortNames: r.ShortNames, Verbs: r.Verbs, Namespaced: r.Scope == apidiscovery.ScopeNamespace,
					Status: slices.ContainsFunc(r.Subresources, func(s apidiscovery.APISubresourceDiscovery) bool { return s.Subresource == "status" })})
			}
			g.Versions = append(g.Versions, version)
		}
		groups = append(groups, g)
	}
	return groups
}

// eachVersion reads the list of each version by itself.
func eachVersion(ctx context.Context, client rest.Interface, path string, list []metav1.APIGroup) []Group {
	groups := make([]Group, len(list))
	var reading sync.WaitGroup
	for i, item := range list {
		groups[i] = Group{Name: item.Name, Preferred: item.PreferredVersion.Version, Versions: make([]Version, len(item.Versions))}
		for n, v := range item.Versions {
			reading.Go(func() {
				groups[i].Versions[n] = readVersion(ctx, client, path+"/"+groupVersion(item.Name, v.Version), v.Version)
			})
		}
	}
	reading.Wait()
	return groups
}

func readVersion(ctx context.Context, client rest.Interface, path, name string) Version {
	v := Version{Name: name}
	body, err := client.Get().AbsPath(path).Do(ctx).Raw()
	var list metav1.APIResourceList
	if err == nil {
		err = json.Unmarshal(body, &list)
	}
	if err != nil {
		v.Err = err
		return v
	}
	for _, r := range list.APIResources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		status := slices.ContainsFunc(list.APIResources, func(sub metav1.APIResource) bool { return sub.Name == r.Name+"/status" })
		v.Resources = append(v.Resources, Resource{Name: r.Name, Singular: r.SingularName, Kind: r.Kind, ShortNames: r.ShortNames, Verbs: r.Verbs,
			Namespaced: r.Namespaced, Status: status})
	}
	return v
}

func groupVersion(group, version string) string { return strings.TrimPrefix(group+"/"+version, "/") }

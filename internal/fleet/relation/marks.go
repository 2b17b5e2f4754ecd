// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
)

// values finds the unhealthy objects that values of a status name: by NAMESPACE/NAME, or by the name of a custom resource in the same
// namespace.
func (r *resolver) values(status any) {
	switch m := status.(type) {
	case map[string]any:
		for _, key := range sortedKeys(m) {
			r.values(m[key])
		}
	case []any:
		for _, item := range m[:min(len(m), mostMentions)] {
			r.values(item)
		}
	case string:
		namespace, name, divided := strings.Cut(m, "/")
		if !divided {
			namespace, name = r.o.Namespace, m
		}
		if namespace == "" || len(name) < leastName || strings.ContainsAny(m, " :") {
			return
		}
		for _, gk := range r.v.kindsNow() {
			if divided || strings.Contains(gk.Group, ".") && !catalog.OfKubernetes(gk.Group) {
				r.add(ID{GroupKind: gk, Namespace: namespace, Name: name}, byWords, false)
			}
		}
	}
}

// leastName is the length from which on a value without a kind may be a name.
const leastName = 5

// marked finds what belongs to a custom resource by a label of its group: unhealthy pods, claims and objects of that group. It also finds
// what the node selector of a pod names by its kind.
func (r *resolver) marked() {
	if r.o.GroupKind == podKind {
		selector := textsOf(nested.At(r.o.Content, "spec", "nodeSelector"))
		for key, value := range selector {
			r.call(stemOfLabel(key), "", value, false)
		}
		return
	}
	if !strings.Contains(r.o.Group, ".") || catalog.OfKubernetes(r.o.Group) {
		return
	}
	alone := len(r.v.named(r.o.GroupKind, r.o.Name)) == 1
	for _, gk := range r.v.kindsNow() {
		if gk != podKind && gk.Kind != "PersistentVolumeClaim" && (gk.Group != r.o.Group || gk == r.o.GroupKind) {
			continue
		}
		for _, item := range r.v.indexed("marked", gk, r.o.Name, labelsOfGroups) {
			if len(item.owners()) == 0 && (item.Namespace == r.o.Namespace || alone) {
				for key, value := range item.Labels() {
					domain, _, _ := strings.Cut(key, "/")
					if value == r.o.Name && strings.EqualFold(stemOfLabel(key), r.o.Kind) &&
						(r.o.Group == domain || strings.HasSuffix(r.o.Group, "."+domain)) {
						r.add(item.ID, byLabel, false)
					}
				}
			}
		}
	}
}

// byLabel is why an object is below a custom resource of whose group a label names that.
const byLabel = "label"

// labelsOfGroups returns the values of the labels of an object that have a domain, other than those of Kubernetes.
func labelsOfGroups(o *Object) (out []string) {
	for key, value := range o.Labels() {
		if domain, _, found := strings.Cut(key, "/"); found && !catalog.OfKubernetes(domain) && value != "" {
			out = append(out, value)
		}
	}
	return out
}

// stemOfLabel returns the word of a label that may be a kind: restore of velero.io/restore-name.
func stemOfLabel(key string) string {
	return strings.TrimSuffix(key[strings.LastIndexByte(key, '/')+1:], "-name")
}

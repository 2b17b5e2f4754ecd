// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"strings"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ID names an object. One without a name asks for every object of the kind in the namespace, without a namespace for those of every
// namespace.
type ID struct {
	schema.GroupKind
	Namespace, Name string
}

// String returns Kind/name, with the group and the namespace where there are any: Machine.cluster.x-k8s.io/default/a.
func (id ID) String() string {
	var b strings.Builder
	b.WriteString(id.Kind)
	if id.Group != "" {
		b.WriteString("." + id.Group)
	}
	if id.Namespace != "" {
		b.WriteString("/" + id.Namespace)
	}
	b.WriteString("/" + id.Name)
	return b.String()
}

// Ref returns the name in the form of package conditions.
func (id ID) Ref() conditions.ObjectRef {
	return conditions.ObjectRef{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}

// IDOf returns the name of an object in the form of this package.
func IDOf(r conditions.ObjectRef) ID {
	return ID{GroupKind: schema.GroupKind{Group: r.Group, Kind: r.Kind}, Namespace: r.Namespace, Name: r.Name}
}

// Compare orders by group, kind, namespace and name.
func Compare(a, b ID) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// Object is one object of a graph.
type Object struct {
	ID
	APIVersion      string
	UID             string
	ResourceVersion string
	Generation      int64
	Deleting        bool
	Content         map[string]any // as decoded from JSON; read-only
}

// FromContent reads the identity of a decoded object. Fields that are missing or of a wrong type are empty.
func FromContent(content map[string]any) *Object {
	metadata, _ := content["metadata"].(map[string]any)
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	o := &Object{Content: content, APIVersion: str(content, "apiVersion"), UID: str(metadata, "uid"),
		ResourceVersion: str(metadata, "resourceVersion")}
	o.Group = groupOf(o.APIVersion)
	o.Kind = str(content, "kind")
	o.Namespace, o.Name = str(metadata, "namespace"), str(metadata, "name")
	switch g := metadata["generation"].(type) {
	case int64:
		o.Generation = g
	case float64:
		o.Generation = int64(g)
	}
	o.Deleting = str(metadata, "deletionTimestamp") != ""
	return o
}

// GroupVersionKind returns the kind of the object with the version in which it was read.
func (o *Object) GroupVersionKind() schema.GroupVersionKind {
	return o.GroupKind.WithVersion(o.APIVersion[strings.IndexByte(o.APIVersion, '/')+1:])
}

// groupOf cuts the version from an apiVersion.
func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Labels returns the labels. A value that is no string is left out.
func (o *Object) Labels() map[string]string {
	metadata, _ := o.Content["metadata"].(map[string]any)
	return textsOf(metadata["labels"])
}

// mark returns a label or an annotation, by the name of its field in the metadata; empty without one.
func (o *Object) mark(field, key string) string {
	metadata, _ := o.Content["metadata"].(map[string]any)
	marks, _ := metadata[field].(map[string]any)
	s, _ := marks[key].(string)
	return s
}

// owners returns the owner references.
func (o *Object) owners() []reference {
	metadata, _ := o.Content["metadata"].(map[string]any)
	return references(metadata["ownerReferences"], schema.GroupKind{})
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reference names another object. Without a namespace it means one in the namespace of the object that refers, or a cluster-scoped one.
type reference struct {
	ID
	uid string
}

// references reads the result of an expression or a field: an object reference, a name, or a list of either. A reference without a kind is
// one of kind. Other values are left out.
func references(value any, kind schema.GroupKind) []reference {
	switch v := value.(type) {
	case string:
		if v != "" && kind.Kind != "" {
			return []reference{{ID: ID{GroupKind: kind, Name: v}}}
		}
	case map[string]any:
		r := reference{ID: ID{GroupKind: kind}}
		if s, ok := v["kind"].(string); ok && s != "" {
			r.Kind = s
			r.Group = ""
			if s == kind.Kind {
				r.Group = kind.Group
			}
		}
		if group, ok := groupIn(v); ok {
			r.Group = group
		}
		r.Namespace, _ = v["namespace"].(string)
		r.Name, _ = v["name"].(string)
		r.uid, _ = v["uid"].(string)
		if r.Name != "" && r.Kind != "" {
			return []reference{r}
		}
	case []any:
		var out []reference
		for _, item := range v {
			out = append(out, references(item, kind)...)
		}
		return out
	}
	return nil
}

// keys returns the index keys under which the referenced object can stand, if the object that refers to it is in namespace.
func (r reference) keys(namespace string) []string {
	if r.Namespace != "" {
		namespace = r.Namespace
	}
	out := []string{identity(r.GroupKind, namespace, r.Name)}
	if r.Namespace == "" && namespace != "" {
		out = append(out, identity(r.GroupKind, "", r.Name)) // a cluster-scoped object
	}
	return out
}

func identity(gk schema.GroupKind, namespace, name string) string {
	return gk.Group + "\x00" + gk.Kind + "\x00" + namespace + "\x00" + name
}

// key returns the identity of an object.
func (id ID) key() string { return identity(id.GroupKind, id.Namespace, id.Name) }

// identified returns the object of an identity.
func identified(key string) (id ID) {
	id.Group, key, _ = strings.Cut(key, "\x00")
	id.Kind, key, _ = strings.Cut(key, "\x00")
	id.Namespace, id.Name, _ = strings.Cut(key, "\x00")
	return id
}

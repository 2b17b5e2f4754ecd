// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// appendPointer reads a field of a rule: the name of an object, namespace/name, or a map with name (secretName, claimName) and optionally
// kind, apiVersion, apiGroup, group, namespace and optional; or a list of these. The rule completes what is left out.
func appendPointer(out []pointer, r rule, value any) []pointer {
	p := pointer{reference: reference{ID: ID{GroupKind: r.item, Namespace: r.Namespace}}, relation: r.Relation, show: r.show}
	switch v := value.(type) {
	case string:
		p.Name = v
		if namespace, name, found := strings.Cut(v, "/"); found {
			p.Namespace, p.Name = namespace, name
		}
	case map[string]any:
		for _, key := range []string{"claimName", "secretName", "name"} {
			if s, ok := v[key].(string); ok && s != "" {
				p.Name = s
			}
		}
		if s, ok := v["kind"].(string); ok && s != "" {
			p.Kind = s
		}
		if group, ok := groupIn(v); ok {
			p.Group = group
		}
		if namespace, ok := v["namespace"].(string); ok {
			p.Namespace = namespace
		}
		p.uid, _ = v["uid"].(string)
		p.optional, _ = v["optional"].(bool)
		if p.Group == "rbac.authorization.k8s.io" && (p.Kind == "User" || p.Kind == "Group") {
			return out // no objects
		}
	case []any:
		for _, item := range v {
			out = appendPointer(out, r, item)
		}
		return out
	}
	if p.Name == "" || p.Kind == "" || projected(p) {
		return out
	}
	p.optional = p.optional || p.Kind == "ServiceAccount" && p.Name == "default" // a controller makes it in every namespace
	return append(out, p)
}

// projected reports whether a pointer is to a volume that every pod has.
func projected(p pointer) bool { return p.Kind == "ConfigMap" && p.Name == "kube-root-ca.crt" }

// groupIn returns the API group in a reference; false where it has none.
func groupIn(ref map[string]any) (string, bool) {
	if s, ok := ref["apiVersion"].(string); ok && s != "" {
		return groupOf(s), true
	}
	for _, key := range []string{"apiGroup", "group"} {
		if s, ok := ref[key].(string); ok {
			return s, true
		}
	}
	return "", false
}

// appendEntry reads an entry of an inventory: namespace_name_group_kind. Colons in names stand as two underscores.
func appendEntry(out []pointer, r rule, value any) []pointer {
	id, _ := value.(string)
	namespace, rest, ok := strings.Cut(id, "_")
	end := strings.LastIndexByte(rest, '_')
	if !ok || end < 0 {
		return out
	}
	rest, kind := rest[:end], rest[end+1:]
	end = strings.LastIndexByte(rest, '_')
	if end <= 0 || kind == "" {
		return out
	}
	name := strings.ReplaceAll(rest[:end], "__", ":")
	return append(out, pointer{relation: r.Relation, show: r.show, exact: true,
		reference: reference{ID: ID{GroupKind: schema.GroupKind{Group: rest[end+1:], Kind: kind}, Namespace: namespace, Name: name}}})
}

// deepest limits how far a spec is searched for references.
const deepest = 12

// appendReferences searches a value for maps with kind, name and an API group; the field that holds one names the relation. A reference
// upwards, by the name of its field, is hidden.
func appendReferences(out []pointer, value any, field string, depth int) []pointer {
	if depth > deepest {
		return out
	}
	switch v := value.(type) {
	case map[string]any:
		kind, _ := v["kind"].(string)
		name, _ := v["name"].(string)
		if group, ok := groupIn(v); ok && kind != "" && name != "" {
			p := pointer{relation: field, reference: reference{ID: ID{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Name: name}}}
			p.Namespace, _ = v["namespace"].(string)
			p.uid, _ = v["uid"].(string)
			for _, up := range []string{"claim", "parent", "owner", "consumer"} {
				if strings.HasPrefix(strings.ToLower(field), up) {
					p.show = hidden
				}
			}
			return append(out, p)
		}
		for _, key := range sortedKeys(v) {
			out = appendReferences(out, v[key], key, depth+1)
		}
	case []any:
		for _, item := range v {
			out = appendReferences(out, item, field, depth+1)
		}
	}
	return out
}

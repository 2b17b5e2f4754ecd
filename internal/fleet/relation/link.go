// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types/ref"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// link is one relation of one kind. Both of its ends have keys: two objects are related if they share a key and match agrees.
type link struct {
	*catalog.Link
	kind  *catalog.Kind
	costs *costs
	// variables of the object that declares the relation, where they are known already
	variables map[string]any
}

// selfKeys returns the keys of the object that declares the relation. A relation without a value to look up has one key, and so has every
// object of its kind. If Where asks nothing of these, it is decided here and opens none.
func (l link) selfKeys(self *Object) []string {
	switch {
	case l.Ref != nil:
		var out []string
		for _, r := range references(l.eval(l.Ref, self, nil), l.Target) {
			out = append(out, r.keys(self.Namespace)...)
		}
		return out
	case l.namesSelves():
		return []string{identity(self.GroupKind, self.Namespace, self.Name)}
	case l.Selector != nil:
		return []string{selectorKey(expr.Selector(l.eval(l.Selector, self, nil)))}
	case l.Join() != nil:
		return valueKey(l.eval(l.Join().Self, self, nil))
	case l.BySelf() && !l.holdsWhere(self, nil):
		return nil
	}
	return []string{""}
}

// namesItems reports whether the keys name candidates, namesSelves whether they name the objects that declare the relation.
func (l link) namesItems() bool { return l.Ref != nil }

func (l link) namesSelves() bool { return l.Ref == nil && (l.RefBy != nil || l.Owned) }

// itemKeys returns the keys of a candidate.
func (l link) itemKeys(item *Object) []string {
	switch {
	case l.namesItems():
		return []string{identity(item.GroupKind, item.Namespace, item.Name)}
	case l.RefBy != nil:
		var out []string
		for _, r := range references(l.eval(l.RefBy, nil, item), l.kind.For) {
			out = append(out, r.keys(item.Namespace)...)
		}
		return out
	case l.Owned:
		return ownerKeys(item)
	case l.Selector != nil:
		return labelKeys(l.labels(item))
	case l.Join() != nil:
		return valueKey(l.eval(l.Join().Item, nil, item))
	}
	return []string{""}
}

// holds reports whether the relation is declared for an object: for its kind, in the version in which it was read.
func (l link) holds(self *Object) bool {
	return self.GroupKind == l.kind.For && l.kind.Holds(self.GroupVersionKind().Version)
}

// leadsTo reports whether objects of a kind are candidates.
func (l link) leadsTo(gk schema.GroupKind) bool { return l.Target == gk || l.Target.Kind == "" }

// byKey reports whether a shared key suffices; otherwise match compares more of the objects.
func (l link) byKey() bool { return l.Ref != nil || l.RefBy != nil }

// match reports whether two objects that share a key are related.
func (l link) match(self, item *Object) bool {
	switch {
	case l.Owned:
		if !owns(self, item) {
			return false
		}
	case l.Ref == nil && l.RefBy == nil:
		if l.Namespace != "any" && self.Namespace != "" && item.Namespace != "" && self.Namespace != item.Namespace {
			return false
		}
	}
	if l.Selector != nil {
		if s := expr.Selector(l.eval(l.Selector, self, nil)); s == nil || !s.Matches(l.labels(item)) {
			return false
		}
	}
	return l.Where == nil || l.holdsWhere(self, item.Content)
}

// holdsWhere reports whether Where is true for two objects.
func (l link) holdsWhere(self *Object, item map[string]any) bool {
	values := expr.Values{Self: self.Content, Item: item, Variables: l.variablesFor(l.Where, self)}
	ok, err := l.Where.Bool(&expr.Context{}, values)
	l.costs.note(l, err)
	return ok && err == nil
}

// eval returns the value of an expression; nil for one that fails.
func (l link) eval(p *expr.Program, self, item *Object) any {
	var values expr.Values
	if self != nil {
		values.Self = self.Content
		values.Variables = l.variablesFor(p, self)
	}
	if item != nil {
		values.Item = item.Content
	}
	out, err := p.Eval(&expr.Context{}, values)
	if err != nil {
		l.costs.note(l, err)
		return nil
	}
	return native(out)
}

// variablesFor returns the variables of an object for an expression; nil if it reads none.
func (l link) variablesFor(p *expr.Program, self *Object) map[string]any {
	if l.variables != nil || !slices.ContainsFunc(p.Names(), func(n expr.Name) bool { return n.Of == "variables" }) {
		return l.variables
	}
	return l.kind.VariablesOf(self.Content, &expr.Context{})
}

// native turns maps and lists that an expression built into plain Go values.
func native(value any) any {
	switch v := value.(type) {
	case map[ref.Val]ref.Val:
		out := map[string]any{}
		for key, item := range v {
			if s, ok := key.Value().(string); ok {
				out[s] = native(item.Value())
			}
		}
		return out
	case []ref.Val:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = native(item.Value())
		}
		return out
	}
	return value
}

func ownerKeys(o *Object) []string {
	var out []string
	for _, r := range o.owners() {
		out = append(out, r.keys(o.Namespace)...)
	}
	return out
}

// owns reports whether owner is among the owner references of item.
func owns(owner, item *Object) bool {
	return slices.ContainsFunc(item.owners(), func(r reference) bool {
		return r.GroupKind == owner.GroupKind && r.Name == owner.Name && (r.uid == "" || owner.UID == "" || r.uid == owner.UID) &&
			(owner.Namespace == "" || owner.Namespace == item.Namespace)
	})
}

// selectorKey returns a label that every selected object has, or "" if the selector demands no exact one.
func selectorKey(s labels.Selector) string {
	if s == nil {
		return "\x00nothing"
	}
	if all := exactLabels(s); len(all) > 0 {
		return slices.Min(all)
	}
	return ""
}

// exactLabels returns the labels, KEY=VALUE, that every selected object has.
func exactLabels(s labels.Selector) []string {
	requirements, _ := s.Requirements()
	var out []string
	for _, r := range requirements {
		if values := r.ValuesUnsorted(); len(values) == 1 && (r.Operator() == "=" || r.Operator() == "in" || r.Operator() == "==") {
			out = append(out, r.Key()+"="+values[0])
		}
	}
	return out
}

// labels returns the labels of the end of a relation that a selector of the other end looks at.
func (l link) labels(o *Object) labels.Set {
	switch {
	case l.Labels == nil:
		return o.Labels()
	case l.Selector != nil:
		return textsOf(l.eval(l.Labels, nil, o))
	}
	return textsOf(l.eval(l.Labels, o, nil))
}

// textsOf returns the entries of a map that are texts.
func textsOf(value any) map[string]string {
	m, _ := value.(map[string]any)
	out := make(map[string]string, len(m))
	for key, value := range m {
		if s, ok := value.(string); ok {
			out[key] = s
		}
	}
	return out
}

func labelKeys(set labels.Set) []string {
	out := []string{""}
	for key, value := range set {
		out = append(out, key+"="+value)
	}
	return out
}

// valueKey returns the key of a joined value; none of an absent one.
func valueKey(value any) []string {
	if value == nil {
		return nil
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Struct, reflect.Pointer:
		return []string{"\x00computed"} // match compares these
	case reflect.Float64:
		if f := v.Float(); f == float64(int64(f)) {
			return []string{fmt.Sprint(int64(f))}
		}
	}
	return []string{fmt.Sprint(value)}
}

// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DerivedKinds finds kinds by name: Kind.group, or Kind alone if one kind has it. Only kinds with a derived condition
// can be managed.
func DerivedKinds(set *catalog.Set, flag string, names []string) ([]schema.GroupKind, error) {
	var out []schema.GroupKind
	for _, name := range names {
		var found []schema.GroupKind
		for _, k := range set.Kinds() {
			if len(k.Derivations) > 0 && (strings.EqualFold(name, k.For.String()) || strings.EqualFold(name, k.For.Kind)) &&
				!slices.Contains(found, k.For) {
				found = append(found, k.For)
			}
		}
		switch len(found) {
		case 0:
			return nil, exit.Usagef("%s %s: no catalog derives a condition of such a kind; known are %s", flag, name,
				strings.Join(KindNames(ManagedKinds(set)), ", "))
		case 1:
			out = append(out, found[0])
		default:
			return nil, exit.Usagef("%s %s: that may be %s", flag, name, strings.Join(KindNames(found), " or "))
		}
	}
	return out, nil
}

// ManagedKinds returns the kinds of a set that can be managed.
func ManagedKinds(set *catalog.Set) []schema.GroupKind {
	var out []schema.GroupKind
	for _, k := range set.Kinds() {
		if len(k.Derivations) > 0 && !slices.Contains(out, k.For) {
			out = append(out, k.For)
		}
	}
	return out
}

// KindNames returns kinds as Kind.group.
func KindNames(kinds []schema.GroupKind) []string {
	var out []string
	for _, gk := range kinds {
		out = append(out, gk.String())
	}
	return out
}

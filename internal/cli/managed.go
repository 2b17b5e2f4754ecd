// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// derivedKinds finds kinds by what somebody calls them: Kind.group, or Kind alone where it names one. Only kinds with a derived condition
// can be managed.
func derivedKinds(set *catalog.Set, flag string, names []string) ([]schema.GroupKind, error) {
	var out []schema.GroupKind
	for _, name := range names {
		var found []schema.GroupKind
		for _, k := range set.Kinds() {
			if len(k.Derivations) > 0 && (strings.EqualFold(name, k.For.String()) || strings.EqualFold(name, k.For.Kind)) && !slices.Contains(found, k.For) {
				found = append(found, k.For)
			}
		}
		switch len(found) {
		case 0:
			return nil, usagef("%s %s: no catalog derives a condition of such a kind; known are %s", flag, name, strings.Join(kindNames(managedKinds(set)), ", "))
		case 1:
			out = append(out, found[0])
		default:
			return nil, usagef("%s %s: that may be %s", flag, name, strings.Join(kindNames(found), " or "))
		}
	}
	return out, nil
}

// managedKinds returns the kinds of a set that can be managed.
func managedKinds(set *catalog.Set) []schema.GroupKind {
	var out []schema.GroupKind
	for _, k := range set.Kinds() {
		if len(k.Derivations) > 0 && !slices.Contains(out, k.For) {
			out = append(out, k.For)
		}
	}
	return out
}

func kindNames(kinds []schema.GroupKind) []string {
	var out []string
	for _, gk := range kinds {
		out = append(out, gk.String())
	}
	return out
}

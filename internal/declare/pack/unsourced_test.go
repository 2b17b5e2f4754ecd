// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// Unsourced lists the catalogs of a set that judge by words and for which there is no vocabulary, by name.
func Unsourced(set *catalog.Set, vocabularies []Vocabulary) []string {
	var out []string
	for _, k := range set.Kinds() {
		if !judged(k) || !readsWords(k) {
			continue
		}
		if !slices.ContainsFunc(vocabularies, func(v Vocabulary) bool { return v.about(k) }) {
			out = append(out, k.Source.Metadata.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
)

// A word is a name that a catalog reads: of a condition type, of a reason, of a value that it compares a field with, or the path of a
// field.
type word struct {
	place string // in the document
	text  string
	path  bool
}

// reads lists what verdicts and states of a catalog read, in order of place.
func reads(k *catalog.Kind) []word {
	var out []word
	seen := map[string]bool{"True": true, "False": true, "Unknown": true, "None": true, "": true}
	add := func(place, text string, path bool) {
		if !seen[text] {
			seen[text] = true
			out = append(out, word{place, text, path})
		}
	}
	for i := range k.Source.Spec.States {
		s := &k.Source.Spec.States[i]
		place := fmt.Sprintf("states[%d]", i)
		add(place, s.Condition, false)
		if s.Path != "" {
			add(place, s.Path, true)
		}
		for _, one := range slices.Sorted(maps.Keys(s.Words)) {
			if status, reason, ok := strings.Cut(one, "/"); ok && s.Condition != "" {
				add(place, status, false)
				one = reason
			}
			add(place, one, false)
		}
	}
	for i := range k.Verdicts {
		if k.Verdicts[i].When == nil {
			continue
		}
		place := fmt.Sprintf("verdicts[%d]", i)
		for _, c := range k.Verdicts[i].When.Conditions() {
			add(place, c.Type, false)
		}
		for _, one := range pack.Literals(k.Verdicts[i].When.Source) {
			add(place, one, false)
		}
	}
	return out
}

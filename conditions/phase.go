// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"
	"strings"
)

// Phase is a word for status.phase that follows from the conditions of an object.
type Phase struct {
	Name string
	// Cells lists the cells of the phase, as TYPE=STATUS or TYPE=STATUS/REASON; one of them is enough. Empty: the phase
	// of every other object.
	Cells []string
	// Initial: it is the word of the first status, see [Reason].Initial, and of no other.
	Initial bool
}

// Phase returns the word for the status.phase of an object with the conditions: of the first declared phase that one of them makes. Empty:
// none is declared.
func (k *Kind) Phase(list []Condition) string {
	for i := range k.Phases {
		if p := &k.Phases[i]; !p.Initial && (len(p.Cells) == 0 || slices.ContainsFunc(p.Cells, func(c string) bool { return k.has(list, c) })) {
			return p.Name
		}
	}
	return ""
}

// has reports whether a list has a cell, TYPE=STATUS or TYPE=STATUS/REASON.
func (k *Kind) has(list []Condition, cell string) bool {
	name, cell, _ := strings.Cut(cell, "=")
	status, reason, one := strings.Cut(cell, "/")
	at := Find(list, name)
	return at >= 0 && string(list[at].Status) == status && (!one || list[at].Reason == reason)
}

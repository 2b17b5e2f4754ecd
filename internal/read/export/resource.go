// SPDX-License-Identifier: Apache-2.0

package export

import (
	"regexp"
	"strings"
)

var plural = regexp.MustCompile(`^([a-z][a-z0-9]*)(-v[a-z0-9]+)?$`)

// Resource returns the resource of the kind, in lower case and plural: by convention the name of a catalog without its group. It is a
// guess, and sure is false, where no catalog is named so.
func (s *Subject) Resource() (name string, sure bool) {
	for _, k := range s.Kinds {
		if first, ok := strings.CutSuffix(k.Source.Metadata.Name, "."+s.For.Group); ok && len(k.Source.Spec.For.Kinds) == 0 && k.For == s.For {
			if m := plural.FindStringSubmatch(first); m != nil && strings.HasPrefix(m[1], strings.ToLower(s.For.Kind[:1])) {
				return m[1], true
			}
		}
	}
	return strings.ToLower(s.For.Kind) + "s", false
}

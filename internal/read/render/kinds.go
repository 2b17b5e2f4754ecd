// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/internal/read/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds writes a line for each kind: how many objects there are, and how many of each verdict. A kind that several groups have is written
// with its group.
func Kinds(w io.Writer, nodes []*relation.Node, o Options) error {
	byKind := map[schema.GroupKind][]*relation.Node{}
	groups := map[string][]string{}
	for _, n := range nodes {
		if byKind[n.GroupKind] == nil {
			groups[n.Kind] = append(groups[n.Kind], n.Group)
		}
		byKind[n.GroupKind] = append(byKind[n.GroupKind], n)
	}
	var kinds []schema.GroupKind
	for gk := range byKind {
		kinds = append(kinds, gk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupKind) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group))
	})
	return writeTable(w, []column{{"KIND", 0}, {"OBJECTS", 0}, {"VERDICTS", 1}}, func(yield func(line) bool) {
		for _, gk := range kinds {
			name := gk.Kind
			if len(groups[gk.Kind]) > 1 {
				name = gk.String()
			}
			_, verdicts, _ := strings.Cut(Totals(slices.Values(byKind[gk])), ": ")
			worst := slices.MaxFunc(byKind[gk], func(a, b *relation.Node) int { return trouble(a) - trouble(b) })
			l := lookOf(worst.Judgement.Verdict)
			if !yield(line{cells: []cell{{clean(name), ""}, {strconv.Itoa(len(byKind[gk])), ""}, {verdicts, l.colour}}}) {
				return
			}
		}
	}, o)
}

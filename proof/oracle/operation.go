// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"reflect"

	"github.com/tristate/tristate/conditions/rollup"
)

// Operation is one rule set to compare.
type Operation struct {
	Name string
	// Run computes the case that the source gives with both libraries. Mutate, where not nil, breaks our options, to show that
	// the comparison notices.
	Run func(s *Source, mutate func(*rollup.Options)) Comparison
}

// Comparison holds the results of both sides.
type Comparison struct {
	Case         func() string // the results, for people; nil where the case has no one answer
	Ours, Theirs any
}

// Equal reports whether both sides agree.
func (c Comparison) Equal() bool { return reflect.DeepEqual(c.Ours, c.Theirs) }

func (c Comparison) String() string {
	return fmt.Sprintf("case   %s\nours   %+v\ntheirs %+v", c.Case(), c.Ours, c.Theirs)
}

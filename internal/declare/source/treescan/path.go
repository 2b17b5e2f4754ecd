// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"fmt"
	"strings"
)

// part is a step from a value into it.
type part struct {
	sort  sort
	name  string // of a field or variant
	index int    // of a tuple, or in a variant
}

type sort byte

const (
	inTuple   sort = iota // the element with the index
	inVariant             // what the variant of an enumeration holds at the index: Some(x), Err(x)
	inField               // the field of a struct, object or dictionary
	inList                // any element
)

// success is the name of the variants Some and Ok, of which ? and unwrap do not distinguish.
const success = "success"

func tuple(i int) part                    { return part{sort: inTuple, index: i} }
func variant(name string, index int) part { return part{sort: inVariant, name: name, index: index} }
func field(name string) part              { return part{sort: inField, name: name} }
func element() part                       { return part{sort: inList} }

// matches reports whether a step into a variant is one into the variant called name.
func (p part) matches(name string, index int) bool {
	if p.sort != inVariant || p.index != index {
		return false
	}
	return p.name == name || p.name == success && (name == "Some" || name == "Ok")
}

// path is a list of steps, outermost first.
type path []part

// below returns steps followed by a path.
func (p path) below(steps ...part) path {
	out := make(path, 0, len(p)+len(steps))
	return append(append(out, steps...), p...)
}

func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		fmt.Fprintf(&b, "/%d%s%d", step.sort, step.name, step.index)
	}
	return b.String()
}

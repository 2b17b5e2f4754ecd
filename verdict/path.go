// SPDX-License-Identifier: Apache-2.0

package verdict

import "fmt"

// Evidence is one field that a verdict rests on.
type Evidence struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// pathKind is the form of the path of a fact, in which its parts a and b are inserted when the path is asked for.
type pathKind uint8

const (
	atPath       pathKind = iota // a is the whole path
	atCondition                  // a field b of the condition of type a
	atStatus                     // a field of the status, or one of its fields
	atSpec                       // a field of the spec, or one of its fields
	atContainer                  // a field b of the status of container a
	atInit                       // the same of an init container
	atAnnotation                 // the annotation a
	atNested                     // the condition of type b in one of the items of list a of the status
	atListed                     // the condition of type a in the list at path b
	atObject                     // a field of the object
	atDeep                       // the field b somewhere below field a of the status
)

var pathFormats = [...]string{
	atPath:       "%[1]s",
	atCondition:  ".status.conditions[?(@.type==%[1]q)].%[2]s",
	atStatus:     ".status.%[1]s",
	atSpec:       ".spec.%[1]s",
	atContainer:  ".status.containerStatuses[?(@.name==%[1]q)].%[2]s",
	atInit:       ".status.initContainerStatuses[?(@.name==%[1]q)].%[2]s",
	atAnnotation: ".metadata.annotations[%[1]q]",
	atNested:     ".status.%[1]s[*].conditions[?(@.type==%[2]q)].status",
	atListed:     ".%[2]s[?(@.type==%[1]q)].status",
	atObject:     ".%[1]s",
	atDeep:       ".status.%[1]s..%[2]s",
}

// fact is a field of the object, with its path and value.
type fact struct {
	at   pathKind
	a, b string
	n    Object
}

// path returns the path of the field.
func (f *fact) path() string {
	at, a := f.at, f.a
	switch {
	case (at == atStatus || at == atSpec) && f.b != "":
		a += "." + f.b
	case at == atDeep && f.a == f.b:
		at = atStatus
	}
	return fmt.Sprintf(pathFormats[at], a, f.b)
}

// maxProofs is how many facts a verdict keeps.
const maxProofs = 4

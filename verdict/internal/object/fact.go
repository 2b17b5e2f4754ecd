// SPDX-License-Identifier: Apache-2.0

package object

import "fmt"

// Place is the form of the path of a fact, in which its parts A and B are inserted when the path is asked for.
type Place uint8

// The places.
const (
	PathItself     Place = iota // A is the whole path
	PathCondition               // a field B of the condition of type A
	PathStatus                  // a field of the status, or one of its fields
	PathSpec                    // a field of the spec, or one of its fields
	PathContainer               // a field B of the status of container A
	PathInit                    // the same of an init container
	PathAnnotation              // the annotation A
	PathNested                  // the condition of type B in one of the items of list A of the status
	PathListed                  // the condition of type A in the list at path B
	PathObject                  // a field of the object
	PathDeep                    // the field B somewhere below field A of the status
)

var pathFormats = [...]string{
	PathItself:     "%[1]s",
	PathCondition:  ".status.conditions[?(@.type==%[1]q)].%[2]s",
	PathStatus:     ".status.%[1]s",
	PathSpec:       ".spec.%[1]s",
	PathContainer:  ".status.containerStatuses[?(@.name==%[1]q)].%[2]s",
	PathInit:       ".status.initContainerStatuses[?(@.name==%[1]q)].%[2]s",
	PathAnnotation: ".metadata.annotations[%[1]q]",
	PathNested:     ".status.%[1]s[*].conditions[?(@.type==%[2]q)].status",
	PathListed:     ".%[2]s[?(@.type==%[1]q)].status",
	PathObject:     ".%[1]s",
	PathDeep:       ".status.%[1]s..%[2]s",
}

// Fact is a field of an object, with its path and value.
type Fact struct {
	Place Place
	A, B  string
	N     Value
}

// At returns the fact at a place.
func At(place Place, a, b string, n Value) Fact { return Fact{place, a, b, n} }

// InStatus returns a field of the status, or one of its fields where b is not empty.
func InStatus(a, b string, n Value) Fact { return Fact{PathStatus, a, b, n} }

// OfCondition returns a field of the condition of a type.
func OfCondition(conditionType, field string, n Value) Fact {
	return Fact{PathCondition, conditionType, field, n}
}

// Path returns the path of the field.
func (f *Fact) Path() string {
	at, a := f.Place, f.A
	switch {
	case (at == PathStatus || at == PathSpec) && f.B != "":
		a += "." + f.B
	case at == PathDeep && f.A == f.B:
		at = PathStatus
	}
	return fmt.Sprintf(pathFormats[at], a, f.B)
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import "strconv"

// Evidence is one field a verdict rests on.
type Evidence struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// place says how the path of a piece of evidence is composed of a and b. Paths are composed when they are asked for.
type place uint8

const (
	atPath       place = iota // a is the whole path
	atCondition               // .status.conditions[?(@.type=="a")].b
	atStatus                  // .status.a, or .status.a.b
	atSpec                    // .spec.a, or .spec.a.b
	atContainer               // .status.containerStatuses[?(@.name=="a")].b
	atInit                    // .status.initContainerStatuses[?(@.name=="a")].b
	atAnnotation              // .metadata.annotations["a"]
	atNested                  // .status.a[].conditions[?(@.type=="b")].status
	atListed                  // .b[?(@.type=="a")].status
	atObject                  // .a
	atDeep                    // .status.a..b: somewhere below .status.a
)

func (p place) path(a, b string) string {
	switch p {
	case atCondition:
		return ".status.conditions[?(@.type==" + strconv.Quote(a) + ")]." + b
	case atStatus:
		return dotted(".status", a, b)
	case atDeep:
		if a == b {
			return dotted(".status", a, "")
		}
		return dotted(".status", a, "."+b)
	case atObject:
		return "." + a
	case atSpec:
		return dotted(".spec", a, b)
	case atContainer:
		return ".status.containerStatuses[?(@.name==" + strconv.Quote(a) + ")]." + b
	case atInit:
		return ".status.initContainerStatuses[?(@.name==" + strconv.Quote(a) + ")]." + b
	case atAnnotation:
		return ".metadata.annotations[" + strconv.Quote(a) + "]"
	case atListed:
		return "." + b + "[?(@.type==" + strconv.Quote(a) + ")].status"
	case atNested:
		return ".status." + a + "[*].conditions[?(@.type==" + strconv.Quote(b) + ")].status"
	}
	return a
}

func dotted(base, a, b string) string {
	base += "." + a
	if b != "" {
		base += "." + b
	}
	return base
}

// fact is one piece of evidence: it holds a value and no node.
type fact struct {
	at    place
	a, b  string
	value any
}

const maxProofs = 4

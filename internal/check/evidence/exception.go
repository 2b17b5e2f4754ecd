// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"go.yaml.in/yaml/v3"
)

// Exception accepts findings of one check until a day.
type Exception struct {
	Check   string
	Subject string // a subject, with * for any part
	Owner   string // who answers for it
	Why     string
	Until   time.Time // the last day
	// Position is where it is declared.
	Position catalog.Position
}

// exceptions reads a CheckExceptions document. Each fault is reported; an exception with a fault does not count.
func (e *Evidence) exceptions(file string, line int, data []byte) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		e.fault(catalog.Position{File: file, Line: line + 1, Column: 1}, "%v", err)
		return
	}
	if len(root.Content) == 0 {
		return
	}
	at := func(n *yaml.Node) catalog.Position {
		return catalog.Position{File: file, Line: n.Line + line, Column: n.Column}
	}
	texts := func(n *yaml.Node, allowed []string, rule string) map[string]string {
		out := map[string]string{}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if out[key.Value] = n.Content[i+1].Value; !slices.Contains(allowed, key.Value) {
				e.fault(at(key), "unknown key %q: %s", key.Value, rule)
			}
		}
		return out
	}
	texts(root.Content[0], []string{"apiVersion", "kind", "metadata", "exceptions"}, "a document of exceptions has exceptions")
	for _, item := range Items(Field(root.Content[0], "exceptions")) {
		fields := []string{"check", "subject", "owner", "why", "until"}
		given := texts(item, fields, "an exception has check, subject, owner, why and until")
		missing := ""
		for _, key := range fields {
			if given[key] == "" {
				missing += ", " + key
			}
		}
		until, err := time.Parse(time.DateOnly, given["until"])
		switch {
		case missing != "":
			e.fault(at(item), "the exception needs %s", missing[2:])
		case err != nil:
			e.fault(at(item), "until is %q, want a day such as 2027-01-31", given["until"])
		default:
			e.Exceptions = append(e.Exceptions, &Exception{Check: given["check"], Subject: given["subject"], Owner: given["owner"],
				Why:   given["why"],
				Until: until, Position: at(item)})
		}
	}
}

func (e *Evidence) fault(at catalog.Position, format string, args ...any) {
	e.Unreadable = append(e.Unreadable, Fault{at, fmt.Sprintf(format, args...)})
}

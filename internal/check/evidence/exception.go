// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/catalog"
	"go.yaml.in/yaml/v3"
)

// Exception lets findings of one check stand until a day.
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
	for i := 0; root.Content[0].Kind == yaml.MappingNode && i+1 < len(root.Content[0].Content); i += 2 {
		if key := root.Content[0].Content[i]; !slices.Contains([]string{"apiVersion", "kind", "metadata", "exceptions"}, key.Value) {
			e.fault(catalog.Position{File: file, Line: key.Line + line, Column: key.Column}, "unknown key %q: a document of exceptions has exceptions", key.Value)
		}
	}
	for _, item := range Items(Field(root.Content[0], "exceptions")) {
		at := catalog.Position{File: file, Line: item.Line + line, Column: item.Column}
		given := map[string]string{}
		for j := 0; item.Kind == yaml.MappingNode && j+1 < len(item.Content); j += 2 {
			key, value := item.Content[j], item.Content[j+1]
			switch key.Value {
			case "check", "subject", "owner", "why", "until":
				given[key.Value] = value.Value
			default:
				e.fault(catalog.Position{File: file, Line: key.Line + line, Column: key.Column}, "unknown key %q: an exception has check, subject, owner, why and until", key.Value)
			}
		}
		missing := ""
		for _, key := range []string{"check", "subject", "owner", "why", "until"} {
			if given[key] == "" {
				missing += ", " + key
			}
		}
		until, err := time.Parse(time.DateOnly, given["until"])
		switch {
		case missing != "":
			e.fault(at, "the exception needs %s", missing[2:])
		case err != nil:
			e.fault(at, "until is %q, want a day such as 2027-01-31", given["until"])
		default:
			e.Exceptions = append(e.Exceptions, &Exception{Check: given["check"], Subject: given["subject"], Owner: given["owner"], Why: given["why"],
				Until: until, Position: at})
		}
	}
}

func (e *Evidence) fault(at catalog.Position, format string, args ...any) {
	e.Unreadable = append(e.Unreadable, Fault{at, fmt.Sprintf(format, args...)})
}

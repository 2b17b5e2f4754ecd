// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"

	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/verdict"
)

// ChangeRow is one object whose verdict differs between two answers.
type ChangeRow struct {
	Object        ObjectRef
	Way           string
	Before, After verdict.Status // empty if the object does not exist
	Item          Item           // that explains it: the later one, or the earlier one of an object that is gone
}

// Changes writes a line for each change.
func Changes(w io.Writer, rows []ChangeRow, o Options) error {
	word := func(s verdict.Status) cell {
		if s == "" {
			return cell{"-", ""}
		}
		return verdictCell(relation.Judgement{Verdict: s})
	}
	return writeTable(w, []column{{"NAMESPACE", 2}, {"OBJECT", 0}, {"CHANGE", 0}, {"BEFORE", 0}, {"AFTER", 0}, {"MESSAGE", 1}},
		func(yield func(line) bool) {
			for _, r := range rows {
				detail := Detail(relation.Judgement{Verdict: r.Item.Verdict, Type: r.Item.Type, Reason: r.Item.Reason, Severity: r.Item.Severity,
					Message: r.Item.Message})
				if !yield(line{cells: []cell{{clean(r.Object.Namespace), ""}, {clean(r.Object.Kind + "/" + r.Object.Name), ""}, {r.Way, ""},
					word(r.Before), word(r.After), {detail, ""}}}) {
					return
				}
			}
		}, o)
}

// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/util/duration"
)

// ChangeItem is an edit that came before a cause and can explain it.
type ChangeItem struct {
	Object ObjectRef  `json:"object"`
	Path   string     `json:"path,omitempty"` // of the field; empty if the object was created
	From   any        `json:"from,omitempty"` // the values, where they are known and no secret; absent if the field was
	To     any        `json:"to,omitempty"`
	By     string     `json:"by,omitempty"` // the field manager, with the release that it applied
	At     *time.Time `json:"at,omitempty"`
	Before string     `json:"before,omitempty"` // a Go duration: from the edit to the beginning of the trouble
}

// Add writes the causes of the root of a tree to its item, each with the edits before it and the logs of the container that it blames. An
// object that is its own cause has these itself, too.
func (x *Explanation) Add(item *Item, causes []relation.Ranked) {
	item.Causes = nil
	for _, r := range causes {
		c := causeItem(r.Cause)
		if c.Changes = changeItems(x.Changes(r.Cause)); x.Logs != nil {
			c.Logs = x.Logs(r.Node)
		}
		if len(r.Chain) == 1 {
			item.Changes, item.Logs = c.Changes, c.Logs
		}
		item.Causes = append(item.Causes, c)
	}
}

func changeItems(changes []relation.Change) []ChangeItem {
	var out []ChangeItem
	for _, c := range changes {
		item := ChangeItem{Object: ObjectRef{Kind: c.Kind, Namespace: c.Namespace, Name: c.Name}, Path: c.Path, From: c.From, To: c.To, By: c.By}
		if !c.At.IsZero() {
			at := c.At.UTC()
			item.At = &at
		}
		if c.Before > 0 {
			item.Before = c.Before.String()
		}
		out = append(out, item)
	}
	return out
}

// mostChanges is how many edits of a cause are written.
const mostChanges = 3

// changed describes an edit before a cause: 4m before: spec.replicas 3 -> 0 by kubectl-scale at 12:03. Its object is named if it is not
// that of the cause. Times are in UTC.
func changed(c relation.Change, cause *relation.Node, now time.Time) string {
	var b strings.Builder
	if c.Before > 0 {
		b.WriteString(duration.HumanDuration(c.Before) + " before: ")
	}
	if c.ID != cause.ID {
		b.WriteString(c.Kind + "/" + c.Name + " ")
	}
	if c.Path == "" {
		b.WriteString("was created")
	} else {
		b.WriteString(c.Path)
	}
	from, to := valueText(c.From), valueText(c.To)
	if repository, tag, found := cutTag(from); found && strings.HasPrefix(to, repository+":") {
		from, to = tag, strings.TrimPrefix(to, repository+":")
	}
	switch {
	case c.From != nil && c.To != nil:
		fmt.Fprintf(&b, " %s -> %s", from, to)
	case c.From != nil:
		fmt.Fprintf(&b, " %s removed", from)
	case c.To != nil:
		fmt.Fprintf(&b, " %s added", to)
	}
	if c.By != "" {
		b.WriteString(" by " + c.By)
	}
	if !c.At.IsZero() {
		layout := "15:04"
		if now.Sub(c.At) >= 24*time.Hour {
			layout = "2006-01-02 15:04"
		}
		b.WriteString(" at " + c.At.UTC().Format(layout))
	}
	return b.String()
}

// cutTag divides the name of an image before its tag.
func cutTag(image string) (repository, tag string, found bool) {
	at := strings.LastIndexByte(image, ':')
	if at < 0 || strings.Contains(image[at:], "/") {
		return image, "", false
	}
	return image[:at], image[at+1:], true
}

// valueText writes a value in one line: a text as it is, another one as JSON.
func valueText(value any) string {
	const most = 80
	s, isText := value.(string)
	if !isText {
		data, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		s = string(data)
	}
	return shorten(oneLine(s), most)
}

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

// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/conditions"
)

// fact writes the call that reports a fact.
func (w *goWriter) fact(f factView) {
	if len(f.Cells) == 0 {
		return
	}
	var on []string
	for _, c := range f.Cells {
		on = append(on, cellName(c.typ.Name, c.call))
	}
	last := len(on) - 1
	if last > 0 {
		on = []string{strings.Join(on[:last], ", ") + " and " + on[last]}
	}
	w.doc(fmt.Sprintf("%s reports %s: %s", f.Ident, on[0], f.Meaning), f.Remedy)
	params, text := message(f.Message, conditions.Class(f.Class))
	w.line("func (p *Pass) %s(%s) {", f.Ident, params)
	if params != "" {
		w.line("text := %s", text)
		text = "text"
	}
	for _, c := range f.Cells {
		w.line("p.pass.Report(Type%s, conditions.%s, %s, %s)", c.typ.Ident, c.call.Status, c.call.reason(), text)
	}
	w.line("}\n")
}

// cellName is a cell in a sentence.
func cellName(conditionType string, c *callView) string {
	if c.Name == "" {
		return fmt.Sprintf("%s=%s", conditionType, c.Status)
	}
	return fmt.Sprintf("%s=%s/%s", conditionType, c.Status, c.Name)
}

// reason is the reason of a cell as Go source.
func (c *callView) reason() string {
	if c.Const == "" {
		return `""`
	}
	return c.Const
}

// message returns the parameters of a call and the message that it reports, as Go source.
func message(text string, class conditions.Class) (params, value string) {
	const format = "conditions.Text(format, args...)"
	switch {
	case !formats(text, class):
		r := conditions.Reason{Message: text}
		return "", fmt.Sprintf("%q", r.Text(""))
	case text == "" || text == "%s":
		return "format string, args ...any", format
	}
	return "format string, args ...any", fmt.Sprintf("conditions.Text(%q, %s)", text, format)
}

// doc writes the comment of a call.
func (w *goWriter) doc(text, remedy string) {
	w.comment(text)
	if remedy != "" {
		w.comment("Remedy: " + remedy)
	}
}

// calls writes the type that reports a condition, its cells as values, and a call for each cell that the catalog lists with the type.
func (w *goWriter) calls(t typeView) {
	if t.Computed || t.Foreign {
		return
	}
	w.comment(fmt.Sprintf("%sCondition reports condition %s: %s", t.Ident, t.Name, t.Meaning))
	w.line("// +kubebuilder:object:generate=false\ntype %sCondition struct{ pass conditions.Pass }\n", t.Ident)
	if t.ReasonType != "" {
		w.values(t)
	}
	if t.Derived {
		w.line(`// Merged reports what a merge of other conditions came to; ok false means that there is nothing to report.
func (c *%sCondition) Merged(m rollup.Merged, ok bool) {
	if !ok {
		c.pass.Remove(Type%[1]s)
		return
	}
	rollup.Report(&c.pass, Type%[1]s, m)
}
`, t.Ident)
	}
	if t.From != "" {
		parameter, what := "inputs []rollup.Input", "the conditions of other objects come to, by the rule of the catalog"
		if strings.HasPrefix(t.From, "rollup.Mirror") {
			parameter, what = "input rollup.Input", "the condition of another object comes to, by the rule of the catalog"
		}
		w.line(`// From reports what %s; rollup.InputOf makes an input.
func (c *%sCondition) From(%s) { c.Merged(%s) }
`, what, t.Ident, parameter, t.From)
	}
	if t.Progresses {
		w.line(`// Progress reports how far the work is that the condition waits for; see Progress of conditions.Pass.
func (c *%sCondition) Progress(token string) { c.pass.Progress(Type%[1]s, token) }
`, t.Ident)
	}
	if t.Waits {
		w.line(`// WaitFor sets for this object how long a cell may last, or has to before it is published; see WaitFor of conditions.Pass.
func (c *%sCondition) WaitFor(d time.Duration) { c.pass.WaitFor(Type%[1]s, d) }

// WaitSince reports since when the reported cell holds; see WaitSince of conditions.Pass.
func (c *%[1]sCondition) WaitSince(since time.Time) { c.pass.WaitSince(Type%[1]s, since) }
`, t.Ident)
	}
	if t.Leaves {
		w.line(`// Absent reports that the condition is not in the list; any report outweighs it.
func (c *%sCondition) Absent() { c.pass.Remove(Type%[1]s) }
`, t.Ident)
	}
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Method {
			w.call(t, c)
		}
	}
}

// values writes the type whose constants are the cells of a condition type.
func (w *goWriter) values(t typeView) {
	w.line("// %s is a cell of %s, STATUS/REASON, as a value that facts carry; the zero value is none.\ntype %[1]s string\n\nconst (",
		t.ReasonType, t.Name)
	for _, c := range t.Calls {
		w.line("%s %s = %q", c.Value, t.ReasonType, string(c.Status)+"/"+c.Name)
	}
	w.line(`)

// Because reports a cell that is carried as a value; none reports nothing.
func (c *%sCondition) Because(reason %s, format string, args ...any) {
	c.pass.ReportCell(Type%[1]s, string(reason), conditions.Text(format, args...))
}
`, t.Ident, t.ReasonType)
}

// call writes the call that reports a cell.
func (w *goWriter) call(t typeView, c *callView) {
	w.doc(fmt.Sprintf("%s reports %s=%s: %s", c.Ident, t.Name, c.Status, c.Meaning), c.Remedy)
	params, text := message(c.Message, c.Class)
	report := fmt.Sprintf("c.pass.Report(Type%s, conditions.%s, %s, %s)", t.Ident, c.Status, c.reason(), text)
	if params == "" {
		w.line("func (c *%sCondition) %s() { %s }\n", t.Ident, c.Ident, report)
		return
	}
	w.line("func (c *%sCondition) %s(%s) {\n%s\n}\n", t.Ident, c.Ident, params, report)
}

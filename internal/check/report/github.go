// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/check"
)

// Escapes for the message of a workflow command, and for a property.
var (
	ofMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	ofProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub returns one workflow command for each finding, which GitHub shows at the changed line, and the summary line.
func GitHub(r *check.Report, least check.Level) string {
	var b strings.Builder
	for _, f := range r.Findings(least) {
		level := string(f.Level)
		if f.Level == check.Info {
			level = "notice"
		}
		var properties []string
		add := func(name, value string) { properties = append(properties, name+"="+ofProperty.Replace(value)) }
		if f.Position.File != "" {
			add("file", f.Position.File)
		}
		if f.Position.Line > 0 {
			add("line", fmt.Sprint(f.Position.Line))
			add("col", fmt.Sprint(max(f.Position.Column, 1)))
		}
		add("title", f.Check.ID)
		text := f.Message
		if fix := f.Remedy(); fix != "" {
			text += "\n" + fix
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", level, strings.Join(properties, ","), ofMessage.Replace(text))
	}
	return b.String() + Summary(r, least)
}

// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"bytes"
	"testing"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/proof/checktest"
)

// FuzzMarkdown: no Markdown makes the checks of documents panic, and each finding has a place in the file.
func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("# Lamps\n\n| Type | Status | Reason |\n|---|---|---|\n| `Ready` | True | `Working` |\n"))
	f.Add([]byte("```yaml\nstatus:\n  conditions: [{type: Ready, status: \"Maybe\"}]\n```\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e := checktest.Load(t, []check.File{{Name: "lamp.yaml", Data: []byte(checktest.Lamp)}, {Name: "page.md", Data: data}}, nil)
		for _, found := range check.Run(e, All, check.Options{Now: checktest.Now}).Findings(check.Info) {
			if at := found.Position; at.File == "page.md" && at.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Errorf("line %d is beyond the file: %v", at.Line, found)
			}
		}
	})
}
